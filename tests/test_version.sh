#!/usr/bin/env bash
# test_version.sh [--self-test]
# The version is that of project() in CMakeLists.txt. Every file that names it must agree, and no other file may set one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
files=(CMakeLists.txt CITATION.cff CHANGELOG.md pyproject.toml tests/consumer/CMakeLists.txt)

# faults FOLDER: prints a line for each file of the folder that disagrees.
faults() (
  cd "$1"
  version=$(sed -n 's/^project(eigen_g VERSION \([0-9]*\.[0-9]*\.[0-9]*\) .*/\1/p' CMakeLists.txt)
  [[ $version ]] || echo "CMakeLists.txt: no version"
  grep -qx "version: $version" CITATION.cff || echo "CITATION.cff: not version $version"
  [[ $(grep -m 1 '^## ' CHANGELOG.md) == "## [$version] - "* ]] || echo "CHANGELOG.md: the first version is not $version"
  grep -q '^dynamic = \["version"\]' pyproject.toml || echo "pyproject.toml: must take the version from CMakeLists.txt"
  grep -q "find_package(eigen_g ${version%.*} " tests/consumer/CMakeLists.txt || echo "tests/consumer/CMakeLists.txt: does not ask for ${version%.*}"
)

if [[ ${1:-} == --self-test ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cp --parents "${files[@]}" "$work"
  sed -i 's/VERSION [0-9.]* LANGUAGES/VERSION 9.8.7 LANGUAGES/' "$work/CMakeLists.txt"
  sed -i 's/^dynamic = .*/version = "0.2.0"/' "$work/pyproject.toml"
  count=$(faults "$work" | wc -l)
  ((count == 4)) || { echo "FAILED: found $count of 4 planted errors"; exit 1; }
fi
found=$(faults .)
[[ -z $found ]] || { printf 'FAILED: %s\n' "$found"; exit 1; }
