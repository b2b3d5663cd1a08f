#!/usr/bin/env bash
# scripts/check_includes.sh [FOLDER]
# Checks the order of the house in FOLDER (default: this project):
#   - an include of a project header points down the floors, or stays on its own;
#   - within solver it points down the rooms, or stays in its own;
#   - it names a file that exists;
#   - no headers include each other in a circle;
#   - at the top level stands nothing but the floors and the few files that belong there.
# Prints one line a fault; exits 1 if there is any. (That each header compiles alone is checked by the build: target
# eigen_g_headers.)
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
# room of solver -> its height; rooms of one height do not see each other. solver/api's .cpp files, the calls from C, belong to
# the driver.
declare -A height=(
  [api]=0 [prepare]=1 [devices]=2 [tridiagonal]=3 [reduction]=3 [generalised]=3 [back]=4 [refine]=4 [verify]=5 [calibrate]=6 [path]=7
  [driver]=8 [sparse]=9 [distributed]=9
)
top_level="solver blas2 gemm_df hybrid apps tests data scripts CMakeLists.txt README.md LICENSE CHANGELOG.md CONTRIBUTING.md CITATION.cff \
pyproject.toml"

faults=0
fault() {
  printf '%s\n' "$*"
  faults=$((faults + 1))
}
contains() { [[ " $1 " == *" $2 "* ]]; }

shopt -s nullglob
for entry in *; do
  # Build folders and results of `eigen_g solve`: the ones that .gitignore names.
  contains "$top_level" "$entry" || [[ -d $entry && $entry == build* ]] || [[ $entry == *.@(values|vectors).* ]] ||
    fault "$entry: does not belong at the top level"
done

declare -A public_headers=()  # name -> file
while read -r file; do
  [[ -z $file ]] || public_headers[${file##*/}]=$file
done < <(cat scripts/public_headers.txt 2>/dev/null || true)
public_headers[symv_c.h]=blas2/symv/symv_c.h  # of a build with CUDA

# The file, from the project's root, that an include of $2 in file $1 means, in quotes or not; nothing for a header of somebody else.
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

# The room of solver that a file of it belongs to.
room() {
  local inside=${1#solver/}
  if [[ $1 == solver/api/*.cpp ]]; then echo driver; else echo "${inside%%/*}"; fi
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

# tsort orders what has no circle; of a circle it names the members on stderr.
if ! circles=$(tsort "$edges" 2>&1 >/dev/null); then
  fault "headers include each other in a circle: $(sed -n 's/^tsort: \([^: ]*\)$/\1/p' <<<"$circles" | paste -sd' ')"
fi

if ((faults)); then
  printf '%d faults in the order of the house\n' "$faults" >&2
  exit 1
fi
