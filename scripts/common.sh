# shellcheck shell=bash disable=SC2034
# Sourced by the scripts beside it: where things are, and the one way in which they configure and build.
#   EIGEN_G_BUILD       build folder (default: build/ of the project)
#   EIGEN_G_CMAKE_ARGS  more arguments for CMake's configure step, separated by blanks

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_dir=${EIGEN_G_BUILD:-$root/build}
jobs=$(nproc)
# The one configuration of the scripts that build in build_dir, so that none builds again what another one has built. The GPU
# code is built where there is a toolkit, for the GPU at hand. Where there is no GPU it can only be compiled, so one
# architecture does: 90, Hopper, for which every path of the code is compiled. CMAKE_CUDA_ARCHITECTURES and CUDAARCHS win.
configuration=(-DEIGEN_G_CUDA=AUTO -DEIGEN_G_ARCHITECTURES_WITHOUT_GPU=90)
read -r -a cmake_args <<<"${EIGEN_G_CMAKE_ARGS:-}" || true

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# A toolkit in its usual place counts although it is not on PATH.
cuda_dir=${CUDA_HOME:-/usr/local/cuda}
if [[ -z ${CUDACXX:-} ]] && ! command -v nvcc >/dev/null && [[ -x $cuda_dir/bin/nvcc ]]; then
  export CUDACXX=$cuda_dir/bin/nvcc
fi
have_nvcc() { [[ -n ${CUDACXX:-} ]] || command -v nvcc >/dev/null; }

# configure FOLDER [arguments for CMake]; EIGEN_G_CMAKE_ARGS come last and win. Host sources are compiled several at a time, which
# takes a quarter to two fifths of the time.
configure() {
  local folder=$1
  shift
  local generator=()
  if [[ ! -f $folder/CMakeCache.txt ]] && command -v ninja >/dev/null; then generator=(-G Ninja); fi
  cmake -S "$root" -B "$folder" "${generator[@]}" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 "$@" "${cmake_args[@]}"
}

# build FOLDER [targets]
build() {
  local folder=$1
  shift
  cmake --build "$folder" --parallel "$jobs" ${1:+--target "$@"}
}
