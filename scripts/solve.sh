#!/usr/bin/env bash
# scripts/solve.sh [--mpi N] MATRIX [options of `eigen_g solve`]
# From a fresh checkout to verified eigenpairs: installs what is missing, configures, builds, solves and verifies. The GPU
# code is built if there are a GPU and a CUDA toolkit, or with EIGEN_G_CUDA=ON in the environment.
# --mpi N: by N processes, with MPI, ScaLAPACK and ELPA.
# The result goes to stdout, everything else to stderr. Variables: see scripts/common.sh.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if (($# == 0)) || [[ $1 == -h || $1 == --help ]]; then
  sed -n '2,6s/^# //p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
processes=() packages=() targets=(eigen_g_command)
if [[ $1 == --mpi ]]; then
  [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || die "--mpi: a number of processes is to follow"
  processes=(mpirun -n "$2") packages=(--mpi) targets+=(eigen_g_mpi)
  configuration+=(-DEIGEN_G_MPI=ON)
  shift 2
fi
case "$1" in
  *.h5 | *.h5:* | *.hdf5 | *.hdf5:* | *.mat | *.mat:*) packages+=(--hdf5) ;;
esac
verify=(--verify)
[[ " $* " != *" --values-only "* ]] || verify=()  # without vectors there is no verification
{
  "$root/scripts/install_packages.sh" "${packages[@]}"
  choose_gpu_code
  configure "$build_dir" "${configuration[@]}" --log-level=NOTICE
  build "$build_dir" "${targets[@]}"
} >&2
exec "${processes[@]}" "$build_dir/apps/eigen_g" solve "${verify[@]}" "$@"
