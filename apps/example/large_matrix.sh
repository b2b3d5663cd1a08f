#!/usr/bin/env bash
# large_matrix.sh: what to ask and what to leave out before a large solve, here with a matrix of order 1200. `eigen_g` must be on PATH.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# [ask]
eigen_g generate minij 1200 -o matrix.npy
eigen_g solve matrix.npy --predict --values-only        # first prints the plan, then solves
eigen_g predict --machine nvidia_h200 --n 40000         # the stages of a machine that was measured
eigen_g predict --nodes 64 --n 200000                   # clusters, from published runs
# [end]
# [less]
eigen_g solve matrix.npy -o values --values-only                       # no vectors
eigen_g solve matrix.npy -o ends --subset-by-index 1191:1200 --verify  # ten vectors instead of 1200
eigen_g solve matrix.npy -o single --type s --verify                   # float: half the memory
eigen_g solve --grid 40x40x40 --lowest 4 -o modes                      # n = 64000, without a stored matrix
# [end]
