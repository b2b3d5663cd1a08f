#!/usr/bin/env bash
# scripts/solve.sh MATRIX [options of `eigen_g solve`]
# From a fresh checkout to verified eigenpairs: installs what is missing, configures, builds, solves and verifies. The GPU
# code is built where there is a CUDA toolkit.
# The result goes to stdout, everything else to stderr. Variables: see scripts/common.sh.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if (($# == 0)) || [[ $1 == -h || $1 == --help ]]; then
  sed -n '2,5s/^# //p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
verify=(--verify)
[[ " $* " != *" --values-only "* ]] || verify=()  # without vectors there is nothing to verify with
{
  "$root/scripts/install_packages.sh"
  configure "$build_dir" "${configuration[@]}" --log-level=NOTICE
  build "$build_dir" eigen_g_command
} >&2
exec "$build_dir/apps/eigen_g" solve "${verify[@]}" "$@"
