#!/usr/bin/env bash
# scripts/debian_package.sh [FOLDER]
# Builds the Debian package of the library, its headers, the command, man pages and completions, by the preset `debian`, and writes it
# into FOLDER (default: build-debian). It needs help2man and dpkg-dev. The package depends on what dpkg-shlibdeps finds.
# EIGEN_G_CMAKE_ARGS are more arguments for CMake: -DEIGEN_G_CUDA=OFF, -DCPACK_PACKAGE_CONTACT="Name <address>".
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
"$root/scripts/install_packages.sh" --hdf5 help2man dpkg-shlibdeps
cd "$root"
cmake --preset debian "${cmake_args[@]}"
cmake --build --preset debian --parallel "$jobs"
out=$(mkdir -p "${1:-build-debian}" && cd "${1:-build-debian}" && pwd)
cd build-debian
rm -f "$out"/eigen-g_*.deb
cpack -G DEB -B "$out"
dpkg-deb --field "$out"/eigen-g_*.deb
