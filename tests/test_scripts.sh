#!/usr/bin/env bash
# Tests scripts/solve.sh, scripts/test.sh and .ci/run: both scripts configure one folder in one way; without a GPU they leave the GPU
# code out; test.sh reports the GPU's free memory to ctest; .ci/run fails without clang-format 14 and if the word check fails.
# Stand-ins take the place of their tools and write down how they are called, so nothing is built.
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
# A machine with a toolkit and no GPU, whatever this one has.
stand_in "$work/bin/nvcc" ''
stand_in "$work/bin/nvidia-smi" 'exit 9'
mkdir "$work/system"
export PATH=$work/bin:$PATH CALLS=$work/calls EIGEN_G_SYSTEM_ROOT=$work/system
unset EIGEN_G_BUILD EIGEN_G_CMAKE_ARGS EIGEN_G_CUDA CUDACXX CUDA_HOME

# calls SCRIPT [arguments]: prints its calls of tools, one in each line, without the log level, which does not change the build.
calls() {
  : >"$CALLS"
  "$project/scripts/$1" "${@:2}" >"$work/output" 2>&1 || fail "$1: $(cat "$work/output")"
  sed 's/ --log-level=NOTICE//' "$CALLS"
}

calls solve.sh a.mtx >"$work/first"  # chooses the generator
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

# cuda WANTED [NOTICE]: both scripts, in the build folder as it is, pass -DEIGEN_G_CUDA=WANTED to CMake. With NOTICE they say
# in one line that there is no GPU, and else nothing of the kind.
cuda() {
  local script
  for script in "solve.sh a.mtx" test.sh; do
    # shellcheck disable=SC2086  # a name and arguments
    calls $script >"$work/cuda"
    grep -q -- " -DEIGEN_G_CUDA=$1 " <(head -n 1 "$work/cuda") || fail "$case, $script: no EIGEN_G_CUDA=$1 in $(head -n 1 "$work/cuda")"
    [[ $(grep -c '^No GPU here: ' "$work/output" || true) == $((${2:+1} + 0)) ]] || fail "$case, $script says: $(cat "$work/output")"
  done
}
cache() { printf '%s\n' "$@" >"$project/build/CMakeCache.txt"; }
case='no GPU'
cuda OFF NOTICE
case='no GPU, left out before'
cache EIGEN_G_CUDA:STRING=OFF CMAKE_CUDA_COMPILER:FILEPATH=/cuda/bin/nvcc
cuda OFF NOTICE
case='no GPU, no toolkit when it was configured'
cache EIGEN_G_CUDA:STRING=AUTO CMAKE_CUDA_COMPILER:FILEPATH=NOTFOUND
cuda OFF NOTICE
for setting in AUTO ON; do
  case="no GPU, built with EIGEN_G_CUDA=$setting before"
  cache EIGEN_G_CUDA:STRING=$setting CMAKE_CUDA_COMPILER:FILEPATH=/cuda/bin/nvcc
  cuda AUTO
done
case='no GPU, built with the GPU code before, now told otherwise'
EIGEN_G_CUDA=OFF cuda OFF
cache
case='no GPU, asked for by the environment'
EIGEN_G_CUDA=ON cuda ON
EIGEN_G_CUDA=AUTO cuda AUTO
case='no GPU, asked for by an argument'  # which is the last one and wins
EIGEN_G_CMAKE_ARGS='-DEIGEN_G_CUDA=ON' cuda AUTO
EIGEN_G_CMAKE_ARGS='-D EIGEN_G_CUDA:STRING=ON' cuda AUTO
if EIGEN_G_CUDA=1 "$project/scripts/test.sh" >"$work/output" 2>&1; then fail "EIGEN_G_CUDA=1 is taken"; fi
for file in dev/nvidia0 dev/nvidia12 dev/dxg proc/driver/nvidia/gpus/0000:01:00.0; do
  case="a GPU by /$file"
  mkdir -p "$work/system/$(dirname "$file")" && touch "$work/system/$file"
  cuda AUTO
  rm -r "${work:?}/system/"*
done
case='a driver without a GPU'
mkdir -p "$work/system"/{dev,proc/driver/nvidia/gpus} && touch "$work/system"/dev/{nvidiactl,nvidia-uvm}
stand_in "$work/bin/nvidia-smi" 'echo "No devices found."'
cuda OFF NOTICE
case='a GPU by nvidia-smi'
# shellcheck disable=SC2016
stand_in "$work/bin/nvidia-smi" '[[ $1 != -L ]] || echo "GPU 0: NVIDIA H100 (UUID: GPU-1)"'
cuda AUTO
case='no toolkit'
stand_in "$work/bin/nvidia-smi" 'exit 9'
mkdir "$work/tools"
for tool in bash env dirname basename nproc grep sed head mkdir touch chmod cat; do ln -s "$(command -v "$tool")" "$work/tools"; done
rm "$work/bin/nvcc"
PATH=$work/bin:$work/tools CUDA_HOME=$work/none cuda AUTO

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
stand_in "$work/bare/python3" ''
stand_in "$project/scripts/check_includes.sh" ''
if output=$(PATH=$work/bare "$project/.ci/run" 2>&1); then fail "a CI run passes without clang-format 14"; fi
[[ $output == *'=== formatting: FAILED' ]] || fail "no failure of the formatting: $output"
stand_in "$work/bare/python3" 'exit 1'
if output=$(PATH=$work/bare "$project/.ci/run" 2>&1); then fail "a CI run passes with old words"; fi
[[ $output == *'=== words: FAILED' ]] || fail "no failure of the word check: $output"

# A system with ninja and without make.
if [[ -x /usr/bin/ninja && -x /usr/bin/cmake ]]; then
  cp -rs /usr/bin "$work/ninja_alone"
  rm -f "$work"/ninja_alone/{make,gmake,apt-get,sudo}
  PATH=$work/ninja_alone "$root/scripts/install_packages.sh" >"$work/output" 2>&1 || fail "ninja alone does not build: $(tail -n 3 "$work/output")"
fi

((failed == 0)) && echo "the scripts agree"
