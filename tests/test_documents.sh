#!/usr/bin/env bash
# tests/test_documents.sh [--update] [FOLDER]
# tests/test_documents.sh --run [PYTHON [FOLDER]]
# Checks that the documents (*.md) in FOLDER (default: this project) name only what exists:
#   - the target of a link, relative to the document, and the heading that a link to a document names;
#   - a path in `code` or in a code block that begins with a folder of the project, or with a folder next to the document;
#   - a source file, script or document in `code` without a folder: anywhere in the project, * for any characters;
#   - a test in `code`: tests/**/test_NAME.*
# Checks listings: a code block after a line <!-- FILE [REGION] --> must equal the lines of FILE between the comments [REGION] and
# [end]. In apps/guide every code block has such a line, except blocks of `text`. A program in the comment of a C++ header, after
# a line that ends with "(FILE [REGION]):", must equal the region too.
# Checks pointers in every text file: a heading in quotes after DECISIONS.md must exist in data/perf/DECISIONS.md.
# Checks that each message in apps/guide/troubleshooting.md, the code in the first cell of a row, occurs in a source file; ... stands for
# any text.
# Prints one line for each error, and exits with 1 if there is any. --update first copies the regions into the listings.
# --run instead runs the programs that the listings of apps/guide show, the Python programs only with PYTHON. `eigen_g` must be on PATH and,
# for Python, the package on PYTHONPATH. The lines of a block after <!-- output of FILE --> must occur in the program's output. A C, C++ or
# Fortran program must be a test of apps/CMakeLists.txt. A shell script that ends with 4 was skipped; its syntax is checked. Every
# option of a command `eigen_g ...` in a document must occur in the command's help.
# --self-test checks that planted errors are found.
set -euo pipefail

if [[ ${1:-} == --self-test ]]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  mkdir -p "$folder/solver/back" "$folder/tests"
  touch "$folder/solver/back/apply.hpp" "$folder/tests/test_apply.cpp"
  # shellcheck disable=SC2016
  printf '%s\n' '# A part: `x`' '[a](solver/back/apply.hpp) [b](https://example.org) [c](#a-part-x) [d](good.md#a-part-x) `solver/back` `apply.hpp` `test_apply` `test_*`' \
    '`a/b` `app*.hpp` `.cpp` `x.npy`' '```sh' 'cat solver/back/apply.hpp' '```' >"$folder/good.md"
  "${BASH_SOURCE[0]}" "$folder" || { echo "good documents are refused"; exit 1; }
  # shellcheck disable=SC2016
  for fault in '[a](solver/apply.hpp)' '`solver/apply.hpp`' '`applied.hpp`' '`test_applied`' \
    $'```sh\ncat solver/apply.hpp\n```' '[a](good.md) [b](gone.md)' '[a](good.md#x)' '[a](#x)'; do
    printf '%s\n' "$fault" >"$folder/bad.md"
    if "${BASH_SOURCE[0]}" "$folder" >/dev/null; then
      echo "not found: $fault"
      exit 1
    fi
  done
  rm "$folder/bad.md"
  mkdir -p "$folder/data/perf"
  printf '%s\n' '# Decisions' '## Chase' '## Full to band' >"$folder/data/perf/DECISIONS.md"
  printf '%s\n' '// Times: data/perf/DECISIONS.md, "Chase", "Full' '// to band".' >"$folder/b.cpp"
  "${BASH_SOURCE[0]}" "$folder" || { echo "good pointers are refused"; exit 1; }
  sed -i 's/Full/Fool/' "$folder/b.cpp"
  if "${BASH_SOURCE[0]}" "$folder" >/dev/null; then
    echo "not found: a heading that DECISIONS.md does not have"
    exit 1
  fi
  rm "$folder/b.cpp"
  mkdir -p "$folder/apps/guide"
  printf '%s\n' 'int x;' '  // [one]' '  int y;' '' '    int z;' '  // [end]' >"$folder/program.cpp"
  printf '%s\n' '<!-- program.cpp [one] -->' '```cpp' 'int y;' '' '  int z;' '```' '```text' 'output' '```' >"$folder/apps/guide/a.md"
  printf '%s\n' '// A program (program.cpp [one]):' '//' '//   int y;' '//' '//     int z;' '//' '// More text.' >"$folder/a.hpp"
  "${BASH_SOURCE[0]}" "$folder" || { echo "good listings are refused"; exit 1; }
  for fault in a.hpp:y:x apps/guide/a.md:y:x apps/guide/a.md:one:two apps/guide/a.md:program:gone program.cpp:z:x \
    'apps/guide/a.md:<!--:<!' ; do
    IFS=: read -r file from to <<<"$fault"
    cp "$folder/$file" "$folder/kept"
    sed -i "s/$from/$to/" "$folder/$file"
    if "${BASH_SOURCE[0]}" "$folder" >/dev/null; then
      echo "not found: $fault"
      exit 1
    fi
    mv "$folder/kept" "$folder/$file"
  done
  printf '%s\n' '  throw Error("is " + x + ", must not "' '      "be");' >"$folder/apps/program.cpp"
  # shellcheck disable=SC2016
  printf '%s\n' '| `is ..., must not be` | `anything` |' >"$folder/apps/guide/troubleshooting.md"
  "${BASH_SOURCE[0]}" "$folder" || { echo "good messages are refused"; exit 1; }
  sed -i 's/not be/not become/' "$folder/apps/guide/troubleshooting.md"
  if "${BASH_SOURCE[0]}" "$folder" >/dev/null; then
    echo "not found: a message that no source file has"
    exit 1
  fi
  sed -i 's/int/long/' "$folder/program.cpp"
  sed -i 's/not become/not be/' "$folder/apps/guide/troubleshooting.md"
  "${BASH_SOURCE[0]}" --update "$folder" || { echo "listings are not updated"; exit 1; }

  # Listings that are run, with a command that knows one option.
  rm -r "$folder" && mkdir -p "$folder/apps/guide" "$folder/bin"
  export PATH=$folder/bin:$PATH
  # shellcheck disable=SC2016
  printf '%s\n' '#!/bin/sh' 'case "$*" in "solve --help") echo "--verify  check" ;; solve*) echo "n 3" ;; *) exit 2 ;; esac' >"$folder/bin/eigen_g"
  printf '%s\n' '#!/bin/sh' 'eigen_g solve a --verify' >"$folder/apps/s.sh"
  printf '%s\n' 'print("x = 1")' >"$folder/apps/p.py"
  chmod +x "$folder/bin/eigen_g" "$folder/apps/s.sh"
  echo 'examples c.cpp' >"$folder/apps/CMakeLists.txt"
  # shellcheck disable=SC2016
  printf '%s\n' '<!-- apps/s.sh [a] -->' '<!-- output of apps/s.sh -->' '```text' 'n 3' '```' '<!-- output of apps/p.py -->' '```text' 'x = 1' '```' \
    '<!-- apps/c.cpp [a] -->' 'run `eigen_g solve b --verify`' '```sh' 'eigen_g solve c --verify   # --not' '```' >"$folder/apps/guide/a.md"
  python=$(command -v python3 || true)
  "${BASH_SOURCE[0]}" --run "$python" "$folder" || { echo "good programs are refused"; exit 1; }
  # shellcheck disable=SC2016
  for fault in guide/a.md:'n 3':'n 4' guide/a.md:'b --verify':'b --verity' guide/a.md:'c --verify':'c --verity' 's.sh:solve a:solve (' 's.sh:solve a:solv a' \
    guide/a.md:c.cpp:d.cpp guide/a.md:'run `eigen_g solve':'run `eigen_g solv' ${python:+p.py:print:raise p.py:1:2}; do
    IFS=: read -r file from to <<<"$fault"
    cp "$folder/apps/$file" "$folder/kept"
    sed -i "s/$from/$to/" "$folder/apps/$file"
    if "${BASH_SOURCE[0]}" --run "$python" "$folder" >/dev/null; then
      echo "not found: $fault"
      exit 1
    fi
    cp "$folder/kept" "$folder/apps/$file"
  done
  exit 0
fi
if [[ ${1:-} == --run ]]; then
  python=${2:-}
  cd "${3:-"$(dirname "${BASH_SOURCE[0]}")/.."}"
  command -v eigen_g >/dev/null || { echo "eigen_g is not on PATH"; exit 1; }
  out=$(mktemp -d)
  trap 'rm -rf "$out"' EXIT
  mapfile -t shown < <(sed -nE 's/^<!-- (output of )?([^ ]+)( \[[a-z-]+\])? -->$/\2/p' apps/guide/*.md | sort -u)
  faults=0
  fault() {
    printf '%s\n' "$*"
    faults=$((faults + 1))
  }
  programs=()
  for file in "${shown[@]}"; do
    [[ $file != *.py || -z $python ]] || programs+=("$file")
    [[ $file =~ \.(py|sh)$ ]] || grep -qF "${file##*/}" apps/CMakeLists.txt || fault "$file: no test of apps/CMakeLists.txt"
  done
  # One interpreter runs all Python programs, because the imports take most of their time.
  if ((${#programs[@]})); then
    "$python" - "$out" "${programs[@]}" >"$out/python.log" 2>&1 <<'END' &
import contextlib, pathlib, runpy, sys, traceback
failed = False
for name in sys.argv[2:]:
    with open(pathlib.Path(sys.argv[1]) / pathlib.Path(name).name, "w") as out, contextlib.redirect_stdout(out):
        try:
            runpy.run_path(name, run_name="__main__")
        except BaseException as error:
            if not isinstance(error, SystemExit) or error.code not in (None, 0, False):
                print(f"{name} failed", file=sys.stderr)
                traceback.print_exc()
                failed = True
sys.exit(failed)
END
    running=$!
    mkdir "$out/bin"
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$python" >"$out/bin/python"
    chmod +x "$out/bin/python"
  fi
  for file in "${shown[@]}"; do
    [[ $file == *.sh ]] || continue
    bash -n "$file" 2>/dev/null || fault "$file: a syntax error"
    [[ -n $python ]] || ! grep -q '\bpython\b' "$file" || continue
    status=0
    PATH=$out/bin:$PATH "$file" >"$out/${file##*/}" 2>&1 || status=$?
    ((status == 0 || status == 4)) || fault "$file: exit code $status"$'\n'"$(tail -n 20 "$out/${file##*/}")"
  done
  if [[ -n $python && -e apps/guide/pictures/draw.py ]]; then
    mkdir "$out/pictures"
    "$python" apps/guide/pictures/draw.py "$out/pictures" || fault "apps/guide/pictures/draw.py: fails"
    diff <(cd apps/guide/pictures && ls -- *.svg) <(ls "$out/pictures") || fault "apps/guide/pictures: not the pictures that draw.py draws"
  fi
  if ((${#programs[@]})); then wait "$running" || fault "$(cat "$out/python.log")"; fi

  while IFS=$'\t' read -r document file line; do
    [[ ! -e $out/${file##*/} ]] || grep -qxF -- "$line" "$out/${file##*/}" || fault "$document: $file does not print: $line"
  done < <(awk '
    /^```/ { block = file != "" && !block; if (!block) file = ""; next }
    block { print FILENAME "\t" file "\t" $0; next }
    { file = ""; if (/^<!-- output of [^ ]+ -->$/) file = $4 }' apps/guide/*.md)

  help() {  # prints the help of a subcommand
    local name=$*
    if [[ ! -e "$out/help $name" ]]; then
      "$@" --help >"$out/help $name" 2>&1 || return
    fi
    cat "$out/help $name"
  }
  # shellcheck disable=SC2016
  while IFS=: read -r document line; do
    read -r command words <<<"${line%%#*}"
    command -v "$command" >/dev/null || continue  # a build without MPI
    read -r name second _ <<<"$words"
    names=("$command" "$name")
    [[ ! $name =~ ^(bench|tune)$ || ! $second =~ ^[a-z]+$ ]] || names+=("$second")
    if [[ $name == run ]]; then words=$(grep -oE '^run( --[a-z-]+( (-|[0-9]+|auto|cpu|gpu|FILE))?)*' <<<"$words"); fi
    if [[ ! $name =~ ^[a-z]+$ ]]; then
      [[ $name =~ ^-- || $name =~ ^[A-Z] ]] || fault "$document: no command: $command $words"
    elif ! text=$(help "${names[@]}"); then
      fault "$document: no command: $command $words"
    else
      for option in $(grep -oE -- '(^| |\[)--[a-z][a-z0-9-]+' <<<"$words" | tr -d ' ['); do
        [[ $option == --help ]] || grep -qE -- "$option([^a-z0-9-]|$)" <<<"$text" || fault "$document: no option $option: $command $words"
      done
    fi
  done < <(for document in README.md apps/*.md apps/{guide,bench,python}/*.md data/perf/README.md; do
             [[ -e $document ]] || continue
             # Commands at the beginning of a line of a listing, also under mpirun, and in `code`.
             { awk '/^ *```/ { block = !block; next } block' "$document" | sed -nE 's/^mpirun -n [0-9P]+ eigen_g/eigen_g_mpi/; /^eigen_g(_mpi)? [a-z]/p'
               tr '\n' ' ' <"$document" | grep -oE '`(mpirun -n [0-9P]+ )?eigen_g [^`]+`' | sed -E 's/^`//; s/`$//; s/^mpirun -n [0-9P]+ eigen_g/eigen_g_mpi/' || true
             } | sed "s|^|$document:|"
           done)
  ((faults == 0))
  exit
fi
update=false
if [[ ${1:-} == --update ]]; then
  update=true
  shift
fi

cd "${1:-"$(dirname "${BASH_SOURCE[0]}")/.."}"
shopt -s nullglob globstar
files=$(find . -path './build*' -prune -o -path './.*/*' -prune -o -type f -print | sed 's|^\./||')
faults=0
fault() {
  printf '%s: %s does not exist\n' "$1" "$2"
  faults=$((faults + 1))
}
# shellcheck disable=SC2206  # the pattern is to be expanded
exists() {  # a path, * for any characters, seen from the project or from folder $2
  local found=("$2"/$1 $1)
  [[ -e ${found[0]:-} || -e ${found[1]:-} ]]
}
named() {  # a file's name, * for any characters
  local pattern
  pattern=$(sed 's/[.[\^$+]/\\&/g; s/\*/[^\/]*/g' <<<"$1")
  grep -qE "(^|/)$pattern$" <<<"$files"
}

headings() {  # the names of a document's headings in links
  awk '/^ *```/ { block = !block } !block && sub(/^#+ /, "")' "$1" | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# shellcheck disable=SC2016
while read -r document; do
  folder=$(dirname "$document")
  text=$(awk '/^ *```/ { block = !block; next } !block' "$document")
  blocks=$(awk '/^ *```/ { block = !block; next } block' "$document")
  while read -r target; do
    [[ -n $target && $target != *://* ]] || continue
    aim=$folder/${target%%#*}
    [[ $target != \#* ]] || aim=$document
    if [[ ! -e $aim ]] || { [[ $target == *#* && $aim == *.md ]] && ! headings "$aim" | grep -qxF -- "${target#*#}"; }; then
      fault "$document" "$target"
    fi
  done < <(grep -oE '\]\([^) ]+\)' <<<"$text" | sed 's/^](//; s/)$//' || true)
  while read -r word; do
    if [[ $word == */* ]]; then
      first=${word%%/*}
      [[ -z $first || $first == build* ]] || [[ ! -d $first && ! -d $folder/$first ]] || exists "$word" "$folder" || fault "$document" "$word"
    elif [[ $word =~ ^[A-Za-z_0-9*]+\.(hpp|h|cuh|cu|cpp|sh|py|md|cmake|cff)$ ]]; then
      named "$word" || fault "$document" "$word"
    elif [[ $word =~ ^test_[a-z_0-9*]+$ ]]; then
      named "$word.*" || fault "$document" "$word"
    fi
  done < <({ grep -oE '`[^` ]+`' <<<"$text" | tr -d '`' || true
             grep -oE '[A-Za-z_0-9./*-]+/[A-Za-z_0-9./*-]+' <<<"$blocks" || true; } | sort -u)
done < <(grep '\.md$' <<<"$files")

region() {  # the lines of file $1 between [$2] and [end], without their common indentation
  awk -v mark="[$2]" '
    on && index($0, "[end]") { exit }
    on { line[++count] = $0 }
    on && $0 != "" { match($0, /^ */); if (least == "" || RLENGTH < least) least = RLENGTH }
    /^ *(\/\/|\/\*|#|!) \[/ && index($0, mark) { on = 1 }
    END { for (i = 1; i <= count; ++i) print substr(line[i], least + 1) }' "$1"
}
update_markdown() {  # document, marker, file, region
  local text
  text=$(region "$3" "$4" | awk -v marker="$2" '
    FNR == NR { line[++count] = $0; next }
    on == 2 && /^```/ { for (i = 1; i <= count; ++i) print line[i]; on = 3 }
    on != 2 { print }
    on == 1 && /^```/ { on = 2 }
    !on && $0 == marker { on = 1 }' - "$1")
  printf '%s\n' "$text" >"$1"
}
update_header() {  # header, file, region
  local text
  text=$(region "$2" "$3" | awk -v marker="($2 [$3]):" '
    FNR == NR { line[++count] = $0; next }
    on && !/^\/\/(   |$)/ { print "//"; on = 0 }
    !on { print }
    substr($0, length($0) - length(marker) + 1) == marker {
      print "//"
      for (i = 1; i <= count; ++i) print line[i] == "" ? "//" : "//   " line[i]
      on = 1
    }' - "$1")
  printf '%s\n' "$text" >"$1"
}
check_listing() {  # document, file, region, listing
  if [[ ! -e $2 ]]; then
    fault "$1" "$2"
  elif [[ -z $4 || $(region "$2" "$3") != "$4" ]]; then
    printf '%s: the listing differs from %s [%s]\n' "$1" "$2" "$3"
    faults=$((faults + 1))
  fi
}
while read -r document; do
  while read -r marker; do
    read -r _ file name _ <<<"$marker"
    if $update && [[ -e $file ]]; then update_markdown "$document" "$marker" "$file" "${name:1:-1}"; fi
    listing=$(awk -v marker="$marker" '
      on == 1 && !/^```/ { exit }
      on && /^```/ { if (++on > 2) exit; next }
      on
      $0 == marker { on = 1 }' "$document")
    check_listing "$document" "$file" "${name:1:-1}" "$listing"
  done < <(grep -E '^<!-- [^ ]+ \[[a-z-]+\] -->$' "$document" || true)
  [[ $document != apps/guide/* ]] || while read -r line; do
    printf '%s: line %s: a code block without <!-- FILE [REGION] -->\n' "$document" "$line"
    faults=$((faults + 1))
  done < <(awk '/^```/ { block = !block; if (block && $0 != "```text" && before !~ /^<!-- /) print NR } { before = $0 }' "$document")
done < <(grep '\.md$' <<<"$files")
while read -r header; do
  while read -r file name; do
    if $update && [[ -e $file ]]; then update_header "$header" "$file" "$name"; fi
    listing=$(awk -v marker="($file [$name]):" '
      on && !/^\/\/(   |$)/ { exit }
      on { line = substr($0, 6); if (line != "" || count) text[++count] = line }
      substr($0, length($0) - length(marker) + 1) == marker { on = 1 }
      END { for (i = 1; i <= count; ++i) print text[i] }' "$header")
    check_listing "$header" "$file" "$name" "$listing"
  done < <(sed -nE 's/^\/\/ .*\(([^ ()]+) \[([a-z-]+)\]\):$/\1 \2/p' "$header")
done < <(grep -E '\.(hpp|h)$' <<<"$files")

guide=apps/guide/troubleshooting.md
if [[ -e $guide ]]; then
  # Strings that are split over lines of a source file, and f-strings of Python, are joined.
  sources=$(mktemp)
  trap 'rm -f "$sources"' EXIT
  grep -E '^(hybrid|blas2|gemm_df|solver|apps)/.*\.(hpp|cpp|cu|py)$' <<<"$files" | tr '\n' '\0' | xargs -0 cat | tr '\n' ' ' |
    sed -E 's/" +f?"//g; s/\\"/"/g' >"$sources"
  # shellcheck disable=SC2016
  while read -r message; do
    while read -r part; do
      ((${#part} < 3)) || grep -qF -- "$part" "$sources" || fault "$guide" "the message \"$part\""
    done <<<"${message//.../$'\n'}"
  done < <(sed -nE '/^\| `/{s/^\| ([^|]*) \|.*/\1/;p}' "$guide" | grep -oE '`[^`]+`' | tr -d '`' || true)
fi

while read -r file; do  # a pointer may continue on the next line of a comment
  while read -r heading; do
    grep -qxF "## $heading" data/perf/DECISIONS.md || fault "$file" "the heading \"$heading\" of DECISIONS.md"
  done < <(sed 's|^ *//||' "$file" | tr -s ' \n' ' ' | grep -oE 'DECISIONS\.md[`)]*(, "[^"]+")+' | grep -oE '"[^"]+"' | tr -d '"' || true)
done < <(grep -E '\.(hpp|h|cuh|cpp|cu|c|py|md|sh|json)$' <<<"$files" | tr '\n' '\0' | xargs -0 grep -lI 'DECISIONS\.md[`)]*,' |
         grep -vx 'tests/test_documents.sh' || true)
((faults == 0))
