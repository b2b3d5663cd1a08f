# shellcheck shell=bash disable=SC2034
# The scripts in this folder source this file. It has the folders and the common way to configure and build.
#   EIGEN_G_BUILD       build folder (default: build/ of the project)
#   EIGEN_G_CMAKE_ARGS  more arguments for CMake's configure step, separated by blanks
#   EIGEN_G_CUDA        ON, OFF or AUTO: builds the GPU code, leaves it out, or builds it if there is a CUDA toolkit.
#                       Without it solve.sh and test.sh choose (choose_gpu_code, below). The other scripts take AUTO.
#   EIGEN_G_SYSTEM_ROOT folder that holds dev and proc (default: the root of the file system); for the test of have_gpu

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_dir=${EIGEN_G_BUILD:-$root/build}
jobs=$(nproc)
# The scripts that build in build_dir share one configuration, so that none builds again what another one has built. The GPU
# code is compiled for the GPU at hand. Without a GPU it can only be compiled, not run, so one architecture is enough: 90,
# Hopper, for which every path of the code is compiled. CMAKE_CUDA_ARCHITECTURES and CUDAARCHS win.
configuration=(-DEIGEN_G_CUDA="${EIGEN_G_CUDA:-AUTO}" -DEIGEN_G_ARCHITECTURES_WITHOUT_GPU=90)
read -r -a cmake_args <<<"${EIGEN_G_CMAKE_ARGS:-}" || true

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}
[[ ${EIGEN_G_CUDA:-AUTO} =~ ^(ON|OFF|AUTO)$ ]] || die "EIGEN_G_CUDA: is $EIGEN_G_CUDA; must be ON, OFF or AUTO"

# CMake's usual generator needs make, which ninja replaces.
if ! command -v make >/dev/null && command -v ninja >/dev/null; then export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}; fi

# A toolkit in its usual place is found even if it is not on PATH.
cuda_dir=${CUDA_HOME:-/usr/local/cuda}
if [[ -z ${CUDACXX:-} ]] && ! command -v nvcc >/dev/null && [[ -x $cuda_dir/bin/nvcc ]]; then
  export CUDACXX=$cuda_dir/bin/nvcc
fi
have_nvcc() { [[ -n ${CUDACXX:-} ]] || command -v nvcc >/dev/null; }
# An NVIDIA GPU of this machine, found without CUDA: by the driver's command or by the driver's files (/dev/dxg: WSL).
have_gpu() {
  [[ $(nvidia-smi -L 2>/dev/null) == *GPU\ * ]] ||
    compgen -G "${EIGEN_G_SYSTEM_ROOT:-}/dev/nvidia[0-9]*" >/dev/null ||
    compgen -G "${EIGEN_G_SYSTEM_ROOT:-}/proc/driver/nvidia/gpus/*" >/dev/null ||
    [[ -e ${EIGEN_G_SYSTEM_ROOT:-}/dev/dxg ]]
}

# built_with_cuda FOLDER: the last configuration of the folder has the GPU code.
built_with_cuda() {
  grep -qs '^EIGEN_G_CUDA:[A-Z]*=\(ON\|AUTO\)$' "$1/CMakeCache.txt" && grep -q '^CMAKE_CUDA_COMPILER:[A-Z]*=/' "$1/CMakeCache.txt"
}

# Leaves the GPU code out of build_dir and says so, if there is a toolkit but no GPU. EIGEN_G_CUDA, of the environment or in
# EIGEN_G_CMAKE_ARGS, wins. A folder that was built with the GPU code keeps it: without it every source would be compiled again.
choose_gpu_code() {
  if [[ -n ${EIGEN_G_CUDA:-} || " ${cmake_args[*]}" == *EIGEN_G_CUDA[=:]* ]] || ! have_nvcc || have_gpu || built_with_cuda "$build_dir"; then
    return 0
  fi
  configuration[0]=-DEIGEN_G_CUDA=OFF
  echo "No GPU here: building for the CPU alone. EIGEN_G_CUDA=ON in the environment builds the GPU code too." >&2
}

# configure FOLDER [arguments for CMake]; EIGEN_G_CMAKE_ARGS come last and win. Unity builds compile several host sources at a
# time.
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
