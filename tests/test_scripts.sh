#!/usr/bin/env bash
# scripts/solve.sh and scripts/test.sh configure one folder in one way, test.sh tells ctest the GPU's free memory, and .ci/run
# does not pass without clang-format 14. Their tools are stand-ins that write down how they are called: nothing is built.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
project=$work/project
mkdir -p "$project"/{scripts,.ci} "$work/bin" "$work/bare"
cp "$root"/scripts/{common,solve,test}.sh "$project/scripts"
cp "$root/.ci/run" "$project/.ci"

failed=0
fail() {
  printf 'FAILED: %s\n' "$*"
  failed=1
}
stand_in() {
  printf '#!/usr/bin/env bash\n%s\n' "$2" >"$1"
  chmod +x "$1"
}
stand_in "$project/scripts/install_packages.sh" ''
# shellcheck disable=SC2016  # for the stand-in to expand
stand_in "$work/bin/cmake" 'echo "$*" >>"$CALLS"
if [[ $1 == -S ]]; then mkdir -p "$4/apps"; printf "#!/bin/sh\n" >"$4/apps/eigen_g"; chmod +x "$4/apps/eigen_g"; touch "$4/CMakeCache.txt"; fi'
# shellcheck disable=SC2016
stand_in "$work/bin/ctest" 'echo "$*" >>"$CALLS"'
export PATH=$work/bin:$PATH CALLS=$work/calls
unset EIGEN_G_BUILD EIGEN_G_CMAKE_ARGS

# calls SCRIPT [arguments]: how it calls its tools, a line a call; without the log level, which builds nothing.
calls() {
  : >"$CALLS"
  "$project/scripts/$1" "${@:2}" >"$work/output" 2>&1 || fail "$1: $(cat "$work/output")"
  sed 's/ --log-level=NOTICE//' "$CALLS"
}

calls solve.sh a.mtx >"$work/first"  # takes the generator
calls solve.sh a.mtx >"$work/solve"
calls test.sh >"$work/test"
[[ $(head -n 1 "$work/solve") == "$(head -n 1 "$work/test")" ]] ||
  fail "two configurations: $(head -n 1 "$work/solve"), $(head -n 1 "$work/test")"
grep -q -- '-DEIGEN_G_ARCHITECTURES_WITHOUT_GPU=[0-9]*$' <(head -n 1 "$work/test") ||
  fail "not one architecture: $(head -n 1 "$work/test")"
grep -q -- '^--build .* --target eigen_g_command$' "$work/solve" || fail "solve.sh builds more than the command"

EIGEN_G_CMAKE_ARGS='-DCMAKE_CUDA_ARCHITECTURES=80 -DEIGEN_G_CUDA=OFF' calls test.sh >"$work/own"
[[ $(head -n 1 "$work/own") == *' -DCMAKE_CUDA_ARCHITECTURES=80 -DEIGEN_G_CUDA=OFF' ]] ||
  fail "the caller's arguments are not last: $(head -n 1 "$work/own")"

# gpu FREE: a machine whose GPU has so many MiB free.
gpu() { stand_in "$work/bin/nvidia-smi" "echo '$1'"; }
slots() { sed -n 's/.*"slots": \([0-9]*\).*/\1/p' "$project/build/gpu_memory.json"; }
gpu 81000
calls test.sh -R x | tail -n 1 | grep -q -- '--resource-spec-file [^ ]*/gpu_memory.json -R x$' || fail "ctest is not told"
[[ $(slots) == 79 ]] || fail "81000 MiB are $(slots) GiB"
gpu 900
calls test.sh >"$work/small"
[[ $(slots) == 2 ]] || fail "a test of 2 GiB has $(slots) to run in"
for nothing in '' '[N/A]' 'No devices were found'; do
  gpu "$nothing"
  if calls test.sh | grep -q resource-spec; then fail "'$nothing' taken for memory"; fi
done

# A PATH with nothing but these.
for tool in bash env dirname basename nproc grep xargs; do ln -s "$(command -v "$tool")" "$work/bare"; done
stand_in "$work/bare/git" 'printf "hybrid/a.cpp\0"'
stand_in "$project/scripts/check_includes.sh" ''
if output=$(PATH=$work/bare "$project/.ci/run" 2>&1); then fail "a CI run passes without clang-format 14"; fi
[[ $output == *'=== formatting: FAILED' ]] || fail "no failure of the formatting: $output"

((failed == 0)) && echo "the scripts agree"
