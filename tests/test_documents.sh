#!/usr/bin/env bash
# tests/test_documents.sh [FOLDER]
# What the documents (*.md) in FOLDER (default: this project) name must exist:
#   - the target of a link, seen from the document;
#   - a path in `code` or in a code block that begins with a folder of the project, or with one beside the document;
#   - a source file, script or document in `code` that has no folder: somewhere in the project, * for any characters;
#   - a test in `code`: tests/**/test_NAME.*
# Prints one line a fault; exits 1 if there is any. With --self-test it checks that it finds planted faults.
set -euo pipefail

if [[ ${1:-} == --self-test ]]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  mkdir -p "$folder/solver/back" "$folder/tests"
  touch "$folder/solver/back/apply.hpp" "$folder/tests/test_apply.cpp"
  # shellcheck disable=SC2016
  printf '%s\n' '[a](solver/back/apply.hpp) [b](https://example.org) [c](#part) `solver/back` `apply.hpp` `test_apply` `test_*`' \
    '`a/b` `app*.hpp` `.cpp` `x.npy`' '```sh' 'cat solver/back/apply.hpp' '```' >"$folder/good.md"
  "${BASH_SOURCE[0]}" "$folder" || { echo "good documents are refused"; exit 1; }
  # shellcheck disable=SC2016
  for fault in '[a](solver/apply.hpp)' '`solver/apply.hpp`' '`applied.hpp`' '`test_applied`' \
    $'```sh\ncat solver/apply.hpp\n```' '[a](good.md#x) [b](gone.md)'; do
    printf '%s\n' "$fault" >"$folder/bad.md"
    if "${BASH_SOURCE[0]}" "$folder" >/dev/null; then
      echo "not found: $fault"
      exit 1
    fi
  done
  exit 0
fi

cd "${1:-"$(dirname "${BASH_SOURCE[0]}")/.."}"
shopt -s nullglob globstar
files=$(find . -path './build*' -prune -o -path './.*/*' -prune -o -type f -print | sed 's|^\./||')
faults=0
fault() {
  printf '%s: %s does not exist\n' "$1" "$2"
  faults=$((faults + 1))
}
# shellcheck disable=SC2206  # the pattern is to be expanded
exists() {  # a path, * for any characters, seen from the project or from folder $2
  local found=("$2"/$1 $1)
  [[ -e ${found[0]:-} || -e ${found[1]:-} ]]
}
named() {  # a file's name, * for any characters
  local pattern
  pattern=$(sed 's/[.[\^$+]/\\&/g; s/\*/[^\/]*/g' <<<"$1")
  grep -qE "(^|/)$pattern$" <<<"$files"
}

# shellcheck disable=SC2016
while read -r document; do
  folder=$(dirname "$document")
  text=$(awk '/^ *```/ { block = !block; next } !block' "$document")
  blocks=$(awk '/^ *```/ { block = !block; next } block' "$document")
  while read -r target; do
    [[ -z $target || $target == *://* || $target == \#* ]] || [[ -e $folder/${target%%#*} ]] || fault "$document" "$target"
  done < <(grep -oE '\]\([^) ]+\)' <<<"$text" | sed 's/^](//; s/)$//' || true)
  while read -r word; do
    if [[ $word == */* ]]; then
      first=${word%%/*}
      [[ -z $first || $first == build* ]] || [[ ! -d $first && ! -d $folder/$first ]] || exists "$word" "$folder" || fault "$document" "$word"
    elif [[ $word =~ ^[A-Za-z_0-9*]+\.(hpp|h|cuh|cu|cpp|sh|py|md|cmake|cff)$ ]]; then
      named "$word" || fault "$document" "$word"
    elif [[ $word =~ ^test_[a-z_0-9*]+$ ]]; then
      named "$word.*" || fault "$document" "$word"
    fi
  done < <({ grep -oE '`[^` ]+`' <<<"$text" | tr -d '`' || true
             grep -oE '[A-Za-z_0-9./*-]+/[A-Za-z_0-9./*-]+' <<<"$blocks" || true; } | sort -u)
done < <(grep '\.md$' <<<"$files")
((faults == 0))
