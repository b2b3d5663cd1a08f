#!/usr/bin/env bash
# Every function of the C headers, except of sparse.h, must be in the Fortran module.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
declared=$(sed 's,/\*.*,,; s,^ \*.*,,' solver/api/{eigen_g,generalised,batched,stages}.h | grep -oE '\beigen_g_[a-z0-9_]+\(' | tr -d '(' | sort -u)
(($(wc -l <<<"$declared") > 100)) || { echo "FAILED: the headers have few functions"; exit 1; }
if missing=$(comm -23 <(echo "$declared") <(grep -oE 'name="eigen_g_[a-z0-9_]+|(function|subroutine) eigen_g_[a-z0-9_]+' solver/fortran/eigen_g.f90 |
  grep -oE 'eigen_g_[a-z0-9_]+' | sort -u)) && [[ -n $missing ]]; then
  echo "FAILED: not in solver/fortran/eigen_g.f90: ${missing//$'\n'/ }"
  exit 1
fi
