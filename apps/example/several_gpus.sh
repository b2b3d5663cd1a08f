#!/usr/bin/env bash
# several_gpus.sh: a solve whose large products are shared by two GPUs. Without two GPUs it ends with 4.
set -euo pipefail
[[ $(nvidia-smi -L 2>/dev/null | grep -c '^GPU') -ge 2 ]] || exit 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# [gpus]
eigen_g calibrate -o machine.json                       # once for each machine; takes less than two minutes
eigen_g generate random 8000 -o matrix.npy
eigen_g solve matrix.npy --gpus 2 --path one --calibration machine.json --predict --verify
eigen_g solve matrix.npy --gpus 2 --ratio 1:1:0 --json report.json    # equal shares, no CPU
# [end]
