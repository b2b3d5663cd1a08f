#!/usr/bin/env bash
# run.sh FetchContent|add_subdirectory [build]
# eigen_g as a part of another project: that project is configured, and eigen_g must have added the library alone, without tests,
# install rules and options of others. With `build` the program is built and run too, which compiles the library.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -S "$here" -B "$work" -DWAY="$1" -DEIGEN_G_SOURCE="${here%/tests/consumer/subproject}" "${@:3}" >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
failed=0
fault() {
  echo "FAILED: $*"
  failed=1
}
if found=$(grep -rlF 'file(INSTALL' --include=cmake_install.cmake "$work"); then fault "install rules: $found"; fi
if found=$(grep -rl '^add_test' --include=CTestTestfile.cmake "$work"); then fault "tests: $found"; fi
if found=$(grep -E '^(BUILD_SHARED_LIBS|CMAKE_CUDA_ARCHITECTURES|CMAKE_BUILD_TYPE):[A-Z]+=.' "$work/CMakeCache.txt"); then fault "options of others: $found"; fi
if [[ ${2:-} == build ]]; then
  cmake --build "$work" --parallel "$(nproc)" --target consumer_cpp
  "$work/consumer_cpp"
fi
exit $failed
