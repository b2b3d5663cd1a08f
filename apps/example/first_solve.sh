#!/usr/bin/env bash
# first_solve.sh: the first solve with the command, in a temporary folder. `eigen_g` must be on PATH.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# [command]
eigen_g generate minij 500 -o matrix.npy            # a_ij = min(i, j)
eigen_g solve matrix.npy -o result --verify         # writes result.values.npy and result.vectors.npy
eigen_g verify matrix.npy --values result.values.npy --vectors result.vectors.npy
eigen_g solve matrix.npy --subset-by-index 491:500      # the ten highest pairs alone
# [end]
