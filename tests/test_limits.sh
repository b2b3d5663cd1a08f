#!/usr/bin/env bash
# tests/test_limits.sh FILE
# Compares tests/data/limits.csv with FILE, to which all tests of a build appended the rows that they used (EIGEN_G_LIMITS_USED).
# Prints each row that no test used, and exits with 1 if there is one. Rows of tests that were skipped do not count:
#   - rows for a GPU, if no test used one;
#   - rows for the files of real matrices, if no test used one on that device;
#   - bcsstk16.mtx on the CPU, which needs EIGEN_G_SLOW=1.
# With --self-test it checks that it finds planted errors.
set -euo pipefail
limits=$(dirname "${BASH_SOURCE[0]}")/data/limits.csv

# unused LIMITS USED: prints the rows of LIMITS that are not in USED.
unused() {
  awk -F';' '
    function group(family, device) { return device (family ~ /\.(mtx|csc|dat)$/ ? " files" : "") }
    /^#/ || !NF { next }
    FNR == NR { used[$1 ";" $2 ";" $3] = 1; ran[group($1, $2)] = ran[$2] = 1; next }
    FNR > 1 && $1 != "family" && !(($1 ";" $2 ";" $3) in used) && group($1, $2) in ran && $1 ";" $2 != "bcsstk16.mtx;cpu"
  ' "$2" "$1"
}

if [[ ${1:-} == --self-test ]]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  # expect USED UNUSED: with the rows USED it must find the rows UNUSED; each list is one line.
  expect() {
    tr ' ' '\n' <<<"$1" >"$folder/used"
    found=$(unused "$folder/limits.csv" "$folder/used" | paste -sd' ')
    [[ $found == "$2" ]] || { echo "used: $1; expected: $2; found: $found"; exit 1; }
  }
  printf '%s\n' '# a comment' 'family;device;least_n;residual;orthogonality' 'random;cpu;1;1.7;2.7' 'random;cpu;8;0.5;1' \
    'random;gpu;1;1;1' 'a.mtx;cpu;8;1;1' 'bcsstk16.mtx;cpu;256;1;1' >"$folder/limits.csv"
  expect 'random;cpu;1 random;cpu;8' ''
  expect 'random;cpu;8 random;cpu;8' 'random;cpu;1;1.7;2.7'
  expect 'random;cpu;1 random;cpu;8 bcsstk16.mtx;cpu;256' 'a.mtx;cpu;8;1;1'
  expect 'random;gpu;1 a.mtx;cpu;8' 'random;cpu;1;1.7;2.7 random;cpu;8;0.5;1'
  # In the file itself it must find no row if all were used, and a row that was not used.
  grep -v '^#' "$limits" | sed 1d | cut -d';' -f1-3 >"$folder/used"
  [[ -z $(unused "$limits" "$folder/used") ]] || { echo "a used row is found"; exit 1; }
  sed -i '/^random;cpu;64$/d' "$folder/used"
  [[ $(unused "$limits" "$folder/used") == 'random;cpu;64;'* ]] || { echo "an unused row is not found"; exit 1; }
  exit 0
fi

rows=$(unused "$limits" "$1")
[[ -z $rows ]] || { printf '%s\n' "$rows" | sed 's/$/: no test uses this row/'; exit 1; }
