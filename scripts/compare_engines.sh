#!/usr/bin/env bash
# scripts/compare_engines.sh [-n PROCESSES] EIGEN_G FOLDER
# Solves every matrix file in FOLDER by the command EIGEN_G and under mpirun by each of its libraries, and verifies every solve.
# Prints a table of the largest difference between eigenvalues, in units of n ulp |A|, and of the seconds. Exits with 1 if a
# solve fails or a difference is above 1.
set -uo pipefail
processes=4
if [[ ${1:-} == -n ]]; then
  processes=$2
  shift 2
fi
if (($# != 2)); then
  sed -n '2,5s/^# //p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
eigen_g=$1 folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read -ra engines < <("$(dirname "$eigen_g")/eigen_g_mpi" --version | sed 's/.*engines//; s/cusolvermp//')
failed=0
printf '| matrix | n |'
printf ' %s |' "${engines[@]}" "seconds: plain" "${engines[@]}"
printf '\n| --- |%s\n' "$(printf ' --- |%.0s' 1 2 "${engines[@]}" "${engines[@]}")"
for file in "$folder"/*.{mtx,npy,raw,csc,dat,h5}; do
  [[ -f $file ]] || continue
  name=$(basename "$file")
  "$eigen_g" solve "$file" --device cpu --verify -q --force --json "$work/plain.json" >/dev/null 2>"$work/err" || {
    printf '| %s | refused: %s |\n' "$name" "$(head -1 "$work/err")"
    failed=1
    continue
  }
  for engine in "${engines[@]}"; do
    rm -f "$work/$engine.json"
    mpirun -n "$processes" "$eigen_g" solve "$file" --engine "$engine" --verify -q --json "$work/$engine.json" \
      >/dev/null 2>"$work/err" </dev/null || { printf '%s by %s: ' "$name" "$engine"; head -1 "$work/err"; } >&2
  done
  python3 - "$name" "$work" "${engines[@]}" <<'PYTHON' || failed=1
import json, os, sys

name, work, *engines = sys.argv[1:]
plain = json.load(open(f"{work}/plain.json"))
w = plain["values"]["all"]
unit = len(w) * (2.0**-23 if plain["matrix"]["type"] in "sc" else 2.0**-52) * max(map(abs, w))
differences, seconds, good = [], [f"{plain['seconds']['solve']:.2f}"], True
for engine in engines:
    path = f"{work}/{engine}.json"
    found = json.load(open(path)) if os.path.exists(path) else None
    if not found or not found["verification"]["passed"]:
        differences.append("failed")
        seconds.append("")
        good = False
        continue
    other = found["values"]["all"]
    difference = max(abs(x - y) for x, y in zip(w, other)) / unit if unit else 0
    good = good and len(w) == len(other) and difference <= 1
    differences.append(f"{difference:.4f}")
    seconds.append(f"{found['seconds']['solve']:.2f}")
print("|", " | ".join([name, str(len(w))] + differences + seconds), "|", flush=True)
sys.exit(not good)
PYTHON
done
exit $failed
