#!/usr/bin/env bash
# scripts/check_includes.sh [FOLDER]
# Checks the order of the folders in FOLDER (default: this project):
#   - an include of a project header names a lower floor or its own;
#   - within solver it names a lower room or its own;
#   - an include names a file that exists;
#   - no headers include each other in a circle;
#   - no two folders of apps, blas2 or gemm_df include each other, directly or through others (the rooms of solver have heights);
#   - the top level has only the floors and the files that belong there.
# Prints a line for each error; exits with 1 if there is any. The build checks that each header compiles alone: target
# eigen_g_headers.
set -euo pipefail
cd "${1:-"$(dirname "${BASH_SOURCE[0]}")/.."}"

# floor -> the floors whose headers it may include
declare -A sees=(
  [hybrid]="hybrid"
  [blas2]="hybrid blas2"
  [gemm_df]="hybrid gemm_df"
  [solver]="hybrid blas2 gemm_df solver"
  [apps]="hybrid blas2 gemm_df solver apps"
  [tests]="hybrid blas2 gemm_df solver apps tests"
)
# room of solver -> its height; rooms of one height do not include each other
declare -A height=(
  [api]=0 [prepare]=1 [devices]=2 [tridiagonal]=3 [reduction]=3 [generalised]=3 [back]=4 [batched]=4 [refine]=5 [verify]=5 [calibrate]=6 [path]=7
  [driver]=8 [sparse]=9 [c]=10 [distributed]=11 [lapack_names]=11
)
top_level="solver blas2 gemm_df hybrid apps tests data scripts CMakeLists.txt README.md LICENSE CHANGELOG.md CONTRIBUTING.md CITATION.cff \
pyproject.toml CMakePresets.json"

faults=0
fault() {
  printf '%s\n' "$*"
  faults=$((faults + 1))
}
contains() { [[ " $1 " == *" $2 "* ]]; }

shopt -s nullglob
for entry in *; do
  # Build folders and results of `eigen_g solve`, as in .gitignore.
  contains "$top_level" "$entry" || [[ -d $entry && $entry == build* ]] || [[ $entry == *.@(values|vectors).* ]] ||
    fault "$entry: does not belong at the top level"
done

declare -A public_headers=()  # name -> file
while read -r file; do
  [[ -z $file ]] || public_headers[${file##*/}]=$file
done < <(cat scripts/public_headers.txt 2>/dev/null || true)
public_headers[symv_c.h]=blas2/symv/symv_c.h  # of a build with CUDA
public_headers[distributed.h]=solver/distributed/distributed.h  # of a build with MPI

# Prints the path from the project's root of an include of $2 in file $1, in quotes or not; nothing for a header from outside.
resolve() {
  local from=$1 text=$2 quoted=$3
  if [[ -n $quoted && -f ${from%/*}/$text ]]; then
    realpath --relative-to=. "${from%/*}/$text"
  elif [[ $text == eigen_g/* ]]; then  # a public header as an installed package shows it
    echo "${public_headers[${text#eigen_g/}]:-$text}"
  elif [[ $text == */* && -n ${sees[${text%%/*}]:-} ]]; then
    echo "$text"
  fi
}

# Prints the room of a file of solver.
room() {
  local inside=${1#solver/}
  echo "${inside%%/*}"
}

while IFS= read -r file; do
  [[ -n ${height[$(room "$file")]:-} ]] || fault "$file: stands in no room of solver (${!height[*]})"
done < <([[ ! -d solver ]] || find solver -regex '.*\.\(h\|hpp\|cuh\|c\|cpp\|cu\)' | sort)

folders=()
for floor in "${!sees[@]}"; do
  [[ ! -d $floor ]] || folders+=("$floor")
done
edges=$(mktemp)
trap 'rm -f "$edges"' EXIT
includes='^[[:space:]]*#[[:space:]]*include[[:space:]]*["<][^">]+[">]'
while IFS=: read -r file line directive; do
  text=${directive#*[\"<]}
  text=${text%%[\">]*}
  quoted=
  [[ $directive != *\"* ]] || quoted=yes
  target=$(resolve "$file" "$text" "$quoted")
  if [[ -z $target ]]; then
    [[ -z $quoted ]] || fault "$file:$line: \"$text\" is no file of the project"
    continue
  fi
  from=${file%%/*} to=${target%%/*}
  if [[ ! -f $target ]]; then
    fault "$file:$line: $target does not exist"
  elif ! contains "${sees[$from]}" "$to"; then
    fault "$file:$line: $from must not include $target (it sees: ${sees[$from]})"
  elif [[ $from == solver && $to == solver ]]; then
    from=$(room "$file") to=$(room "$target")
    [[ $from == "$to" || -z ${height[$from]:-} || -z ${height[$to]:-} ]] || ((height[$to] < height[$from])) ||
      fault "$file:$line: solver/$from must not include $target"
  fi
  echo "$file $target" >>"$edges"
done < <(((${#folders[@]} == 0)) || grep -rnE "$includes" --include=*.{h,hpp,cuh,c,cpp,cu} -- "${folders[@]}" | sort)

# tsort orders a graph without a circle. It names the members of a circle on stderr.
if ! circles=$(tsort "$edges" 2>&1 >/dev/null); then
  fault "headers include each other in a circle: $(sed -n 's/^tsort: \([^: ]*\)$/\1/p' <<<"$circles" | paste -sd' ')"
fi

# A folder of a floor, or the floor itself for the files that are in none of its folders.
folder_edges=$(awk '
  function folder(file, parts) { return split(file, parts, "/") > 2 ? parts[1] "/" parts[2] : parts[1] }
  { from = folder($1); to = folder($2) }
  from != to && from !~ /^(hybrid|solver|tests)/ { print from, to }' "$edges" | sort -u)
if ! circles=$(tsort <<<"$folder_edges" 2>&1 >/dev/null); then
  fault "folders include each other in a circle: $(sed -n 's/^tsort: \([^: ]*\)$/\1/p' <<<"$circles" | paste -sd' ')"
fi

if ((faults)); then
  printf '%d faults in the order of the house\n' "$faults" >&2
  exit 1
fi
