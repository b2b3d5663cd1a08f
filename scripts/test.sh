#!/usr/bin/env bash
# scripts/test.sh [options of ctest]
# From a fresh checkout to tested: installs what is missing, configures, builds everything, runs the tests. The GPU code is
# built if there are a GPU and a CUDA toolkit, or with EIGEN_G_CUDA=ON in the environment. Without a GPU the tests that need
# one are skipped, and say so; EIGEN_G_REQUIRE_GPU=1 makes them fail instead.
# Variables: see scripts/common.sh.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/scripts/install_packages.sh"
choose_gpu_code
configure "$build_dir" "${configuration[@]}"
build "$build_dir"

# Tests state their GiB of GPU memory (tests/CMakeLists.txt). ctest runs no more of them at the same time than fit into the free
# memory.
resources=()
parallel=$jobs
free_mib=$(nvidia-smi --query-gpu=memory.free --format=csv,noheader,nounits --id=0 2>/dev/null) || free_mib=
if [[ $free_mib =~ ^[0-9]+$ ]]; then
  printf '{"version": {"major": 1, "minor": 0}, "local": [{"gpu_gib": [{"id": "0", "slots": %d}]}]}\n' \
    $((free_mib < 2048 ? 2 : free_mib / 1024)) >"$build_dir/gpu_memory.json"
  resources=(--resource-spec-file "$build_dir/gpu_memory.json")
else
  parallel=$((2 * jobs))  # a test of two threads keeps little more than one core busy, so two such tests run at the same time on two cores
fi
# A thread that waits for work sleeps at once. Otherwise it would take the core of a test that runs at the same time.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive} OPENBLAS_THREAD_TIMEOUT=${OPENBLAS_THREAD_TIMEOUT:-4}
ctest --test-dir "$build_dir" --output-on-failure --no-tests=error --parallel "$parallel" "${resources[@]}" "$@"
