#!/usr/bin/env bash
# scripts/test.sh [options of ctest]
# From a fresh checkout to tested: installs what is missing, configures, builds everything, runs the tests. Tests that
# need a GPU are skipped, and say so, where there is none; EIGEN_G_REQUIRE_GPU=1 makes them fail there.
# Variables: see scripts/common.sh.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/scripts/install_packages.sh"
configure "$build_dir" -DEIGEN_G_CUDA=AUTO
build "$build_dir"
ctest --test-dir "$build_dir" --output-on-failure --no-tests=error --parallel "$jobs" "$@"
