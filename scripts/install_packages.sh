#!/usr/bin/env bash
# scripts/install_packages.sh [--mpi] [--hdf5] [--mumps] [COMMAND...]
# Installs the packages that the build needs and CMake cannot find, with apt-get as root or with a password-free sudo. For other
# users it prints the line to run. It does nothing if nothing is missing. Each missing COMMAND is installed too, from the package
# of its name. --mpi adds MPI, ScaLAPACK and ELPA, for solves by several processes; --hdf5 adds HDF5; --mumps adds
# MUMPS and METIS, which factorise sparse matrices.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

mpi=OFF hdf5=OFF mumps=OFF
while [[ ${1:-} == --* ]]; do
  case $1 in
    --mpi) mpi=AUTO ;;
    --hdf5) hdf5=AUTO ;;
    --mumps) mumps=AUTO ;;
    *) die "unknown option $1" ;;
  esac
  shift
done
tools=("$@")
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT

cmake_is_new_enough() {
  local version
  version=$(cmake --version 2>/dev/null | sed -n '1s/^cmake version //p')
  [[ -n $version ]] && printf '3.22\n%s\n' "$version" | sort --check=quiet --version-sort
}

# Prints the Debian names of the missing packages on one line.
missing_packages() {
  local names=()
  if ! command -v "${CC:-cc}" || ! command -v "${CXX:-c++}" || ! { command -v make || command -v ninja; }; then
    names+=(build-essential)
  fi >/dev/null
  cmake_is_new_enough || names+=(cmake)
  if ((${#names[@]})); then  # libraries cannot be searched yet, so all are named; apt does not change present ones
    names+=(libopenblas-dev liblapacke-dev libcli11-dev nlohmann-json3-dev catch2)
    [[ $mpi == OFF ]] || names+=(libopenmpi-dev libscalapack-openmpi-dev libelpa-dev)
    [[ $hdf5 == OFF ]] || names+=(libhdf5-dev)
    [[ $mumps == OFF ]] || names+=(libmumps-seq-dev libmetis-dev)
  else
    rm -rf "$probe/build"
    cmake --no-warn-unused-cli -S "$root/scripts/cmake/probe" -B "$probe/build" "${cmake_args[@]}" -DEIGEN_G_MPI=$mpi -DEIGEN_G_HDF5=$hdf5 -DEIGEN_G_MUMPS=$mumps \
      >"$probe/log" 2>&1 || { cat "$probe/log" >&2; die "CMake cannot compile a trivial project (see above)"; }
    read -r -a names <"$probe/build/missing" || true
  fi
  local command
  for command in "${tools[@]}"; do
    command -v "$command" >/dev/null || names+=("$command")
  done
  echo "${names[*]}"
}

missing=$(missing_packages)
[[ -n $missing ]] || exit 0
command -v ninja >/dev/null || missing+=" ninja-build"
read -r -a packages <<<"$missing"

command -v apt-get >/dev/null ||
  die "missing (names of the Debian packages): $missing. No apt-get here: install them by this system's own means"
as_root=()
if ((EUID != 0)); then
  if ! sudo -n true 2>/dev/null; then
    printf 'Missing packages. Run this line, then start again:\n' >&2
    printf '  sudo sh -c "apt-get update && apt-get install -y %s"\n' "$missing" >&2
    exit 1
  fi
  as_root=(sudo -n)
fi
{
  echo "Installing $missing"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${packages[@]}" </dev/null
} >&2

missing=$(missing_packages)
[[ -z $missing ]] || die "still missing after the installation: $missing"
