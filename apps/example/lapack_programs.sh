#!/usr/bin/env bash
# lapack_programs.sh: an unchanged program whose LAPACK calls are taken. `eigen_g` and a `python` with NumPy must be on PATH.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo 'import numpy; a = numpy.ones((320, 320)) + numpy.diag(range(320)); print(numpy.linalg.eigvalsh(a)[0])' >script.py
# [run]
eigen_g run python script.py                            # NumPy's and SciPy's eigh on the GPU
eigen_g run --min-n 1000 python script.py               # smaller matrices stay with NumPy's own LAPACK
eigen_g run --device cpu --report python script.py      # eigen_g on the CPU; says at the end what was solved where
# [end]
