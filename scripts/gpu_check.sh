#!/usr/bin/env bash
# scripts/gpu_check.sh [OUTDIR] [options]
# Checks this commit on this GPU: configures and builds for it, runs every test executable with a GPU required, solves a random
# matrix twice and compares the results bit for bit, runs the benchmarks. It installs nothing. It prints a short table at the end
# and exits with 1 if anything failed. OUTDIR (default: gpu_check/ in the build folder) gets check.json, the benchmarks' JSON
# (bench_NAME.json) and the logs, each below 8 MB.
#   --only NAMES    only these tests, benchmarks, or solve: names or patterns, separated by commas
#   --no-tests      leave the tests out
#   --no-bench      leave the benchmarks out
#   --no-solve      leave the two solves out
#   --no-build      use the executables in the build folder
#   --n N           order of the matrix of the two solves (default 10000)
#   --sanitize      also run the small GPU tests, at their smaller sizes, under compute-sanitizer: memcheck, racecheck, initcheck,
#                   synccheck
# Build folder: build-gpu/ of the project, or EIGEN_G_BUILD; see scripts/common.sh.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build_dir=${EIGEN_G_BUILD:-$root/build-gpu}

# Names and arguments of `eigen_g bench`, as "name: arguments".
benchmarks=("symv: symv --sizes 1000,2000,4096,8192,20000"
            "tridiagonalize: tridiagonalize --sizes 512,1000,2000,4000,10000 --breakdown"
            "solve: solve --sizes 128,256,512,1000,2000,4000,10000"
            "gemm: gemm" "gemm-accuracy: gemm-accuracy")

out=$build_dir/gpu_check
only='*'
compile=yes tests=yes bench=yes solve=yes sanitize=
n=10000
small_gpu_tests='[gpu]~[large]'
racecheck_tests='[racecheck]' # used if a program has such cases: blocks that wait for each other take too long under racecheck
test_limit=300 # seconds for one test executable
log_limit=8000000

while (($#)); do
  case $1 in
    --only) only=$2; shift ;;
    --no-build) compile= ;;
    --no-tests) tests= ;;
    --no-bench) bench= ;;
    --no-solve) solve= ;;
    --n) n=$2; shift ;;
    --sanitize) sanitize=yes ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) die "unknown option $1 (see --help)" ;;
    *) out=$1 ;;
  esac
  shift
done
mkdir -p "$out"
out=$(cd "$out" && pwd)
rm -f "$out"/{check.json,build.log,tests.log,sanitizer.log,solve.log,solve_1.json,solve_2.json,bench.log,bench_*.json}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

selected() {
  local pattern patterns
  IFS=, read -r -a patterns <<<"$only"
  for pattern in "${patterns[@]}"; do
    # shellcheck disable=SC2053  # a pattern on purpose
    [[ $1 != $pattern ]] || return 0
  done
  return 1
}

now() { date +%s.%N; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.2f", b - a }'; }
# Prints the value of a key of the command's JSON.
figure() { sed -n "s/^ *\"$2\": \([-+.0-9e]*\),\{0,1\}$/\1/p" "$1" | head -n 1; }

rows=()
failed=0
# record NAME pass|FAILED SECONDS DETAIL
record() {
  rows+=("$1|$2|$3|$4")
  [[ $2 == pass ]] || failed=$((failed + 1))
  printf '%-32s %-7s %8s s  %s\n' "$1" "$2" "$3" "$4"
}

# attempt LIMIT LOG COMMAND...: runs it with its output going to LOG; leaves the exit code in `status`, the time in
# `seconds` and the output of this run in $work/output.
attempt() {
  local limit=$1 log=$2 start
  shift 2
  start=$(now)
  status=0
  timeout --kill-after=10 "$limit" "$@" >"$work/output" 2>&1 </dev/null || status=$?
  seconds=$(since "$start")
  { printf '### %s (exit code %d, %s s)\n' "$*" "$status" "$seconds"; tail -c 400000 "$work/output"; } >>"$log"
}

# has_tests NAME TAGS (Catch2 2 lists tests with their number as the exit code)
has_tests() { grep -qE '^[1-9][0-9]* matching' <<<"$("$build_dir/tests/$1" --list-tests "$2" 2>/dev/null)"; }

test_names=()
for file in $(find "$root/tests" -name 'test_*.cpp' | sort); do
  name=$(basename "$file" .cpp)
  if [[ -n $tests$sanitize ]] && selected "$name"; then test_names+=("$name"); fi
done

if [[ -n $compile ]]; then
  echo "Building in $build_dir"
  start=$(now)
  if ! {
    configure "$build_dir" -DEIGEN_G_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=native &&
      build "$build_dir" eigen_g_command "${test_names[@]}"
  } >"$out/build.log" 2>&1; then
    tail -n 40 "$out/build.log"
    die "the build failed; the whole log is $out/build.log"
  fi
  record build pass "$(since "$start")" ""
fi
command=$build_dir/apps/eigen_g
"$command" info | tee -a "$out/build.log"

if [[ -n $tests ]]; then
  for name in "${test_names[@]}"; do
    attempt "$test_limit" "$out/tests.log" env EIGEN_G_REQUIRE_GPU=1 "$build_dir/tests/$name"
    skips=$(grep -c '^SKIPPED: ' "$work/output" || true)
    summary=$(grep -E '^(All tests passed|test cases:|No tests ran)' "$work/output" | tail -n 1 | tr -s ' ' || true)
    if ((status == 0 || status == 4)) && [[ $summary == 'All tests passed'* || $skips -gt 0 ]]; then
      record "$name" pass "$seconds" "${summary#All tests passed }${skips:+, $skips skipped}"
    else
      record "$name" FAILED "$seconds" "exit code $status; $summary"
      tail -n 30 "$work/output"
    fi
  done
fi

if [[ -n $sanitize ]]; then
  sanitizer=$(command -v compute-sanitizer || ls "$cuda_dir"/bin/compute-sanitizer 2>/dev/null) ||
    die "--sanitize: there is no compute-sanitizer here"
  for tool in memcheck racecheck initcheck synccheck; do
    for name in "${test_names[@]}"; do
      which=$small_gpu_tests
      if [[ $tool == racecheck ]] && has_tests "$name" "$racecheck_tests"; then which=$racecheck_tests; fi
      has_tests "$name" "$which" || continue
      attempt "$test_limit" "$out/sanitizer.log" env EIGEN_G_REQUIRE_GPU=1 EIGEN_G_SANITIZED=1 \
        "$sanitizer" --tool "$tool" --error-exitcode 99 --print-limit 20 "$build_dir/tests/$name" "$which"
      summary=$(grep -E '(ERROR|RACECHECK) SUMMARY' "$work/output" | sed 's/^=* *//' | tail -n 1 || true)
      if ((status == 0 || status == 4)) && [[ -n $summary ]]; then
        record "$tool $name" pass "$seconds" "$summary"
      else
        record "$tool $name" FAILED "$seconds" "exit code $status; $summary"
        tail -n 30 "$work/output"
      fi
    done
  done
fi

solve_twice() {
  local run
  attempt 300 "$out/solve.log" "$command" generate random "$n" --force -o "$work/a.npy"
  ((status == 0)) || { record "solve $n" FAILED "$seconds" "generate: exit code $status"; return; }
  for run in 1 2; do
    attempt 300 "$out/solve.log" "$command" solve "$work/a.npy" -o "$work/result$run" --verify --device gpu --force \
      --json "$out/solve_$run.json"
    if ((status != 0)); then
      record "solve $n, run $run" FAILED "$seconds" "exit code $status"
      tail -n 30 "$work/output"
      return
    fi
    record "solve $n, run $run" pass "$(figure "$out/solve_$run.json" solve)" "ratios: residual $(
      figure "$out/solve_$run.json" lapack_residual), orthogonality $(figure "$out/solve_$run.json" lapack_orthogonality)"
  done
  if cmp "$work"/result{1,2}.values.npy && cmp "$work"/result{1,2}.vectors.npy; then
    record "solve $n, both runs" pass 0 "values and vectors equal bit for bit"
  else
    record "solve $n, both runs" FAILED 0 "the results differ"
  fi
}
if [[ -n $solve ]] && selected solve; then solve_twice; fi

if [[ -n $bench ]]; then
  for entry in "${benchmarks[@]}"; do
    name=${entry%%: *}
    selected "$name" || continue
    read -r -a arguments <<<"${entry#*: }"
    attempt 600 "$out/bench.log" "$command" bench "${arguments[@]}" --force --json "$out/bench_$name.json"
    cat "$work/output"
    if ((status == 0)); then record "bench $name" pass "$seconds" ""; else record "bench $name" FAILED "$seconds" "exit code $status"; fi
  done
fi

json_text() {
  local text=${1//\\/\\\\}
  printf '"%s"' "${text//\"/\\\"}" | tr -d '\000-\037'
}
gpu=$(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null || echo unknown)
commit=$(git -C "$root" describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
{
  printf '{\n "format": "eigen_g-gpu_check",\n "version": 1,\n'
  printf ' "date": "%s",\n "commit": %s,\n "gpu": %s,\n' "$(date -u +%FT%TZ)" "$(json_text "$commit")" "$(json_text "$gpu")"
  printf ' "cpu_cores": %d,\n "failed": %d,\n "checks": [' "$jobs" "$failed"
  separator=
  for row in "${rows[@]}"; do
    IFS='|' read -r name result seconds detail <<<"$row"
    printf '%s\n  {"name": %s, "result": "%s", "seconds": %s, "detail": %s}' "$separator" "$(json_text "$name")" \
      "$result" "${seconds:-null}" "$(json_text "$detail")"
    separator=,
  done
  printf '\n ]\n}\n'
} >"$out/check.json"
for log in "$out"/*.log; do
  if (($(stat -c %s "$log") > log_limit)); then tail -c "$log_limit" "$log" >"$work/end" && cp "$work/end" "$log"; fi
done

printf '\n%s, commit %s\n' "$gpu" "$commit"
for row in "${rows[@]}"; do
  IFS='|' read -r name result seconds detail <<<"$row"
  printf '%-32s %-7s %8s s  %s\n' "$name" "$result" "$seconds" "$detail"
done
passes=$((${#rows[@]} - failed))
printf '%d passed, %d failed\n' "$passes" "$failed"
((failed == 0))
