#!/usr/bin/env bash
# tests/test_documents.sh [--update] [FOLDER]
# Checks that the documents (*.md) in FOLDER (default: this project) name only what exists:
#   - the target of a link, relative to the document;
#   - a path in `code` or in a code block that begins with a folder of the project, or with a folder next to the document;
#   - a source file, script or document in `code` without a folder: anywhere in the project, * for any characters;
#   - a test in `code`: tests/**/test_NAME.*
# Checks listings: a code block after a line <!-- FILE [REGION] --> must equal the lines of FILE between the comments [REGION] and
# [end]. In apps/guide every code block has such a line, except blocks of `text`. A program in the comment of a C++ header, after
# a line that ends with "(FILE [REGION]):", must equal the region too.
# Checks pointers in every text file: a heading in quotes after DECISIONS.md must exist in data/perf/DECISIONS.md.
# Prints one line for each error, and exits with 1 if there is any. --update first copies the regions into the listings.
# --self-test checks that planted errors are found.
set -euo pipefail

if [[ ${1:-} == --self-test ]]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  mkdir -p "$folder/solver/back" "$folder/tests"
  touch "$folder/solver/back/apply.hpp" "$folder/tests/test_apply.cpp"
  # shellcheck disable=SC2016
  printf '%s\n' '[a](solver/back/apply.hpp) [b](https://example.org) [c](#part) `solver/back` `apply.hpp` `test_apply` `test_*`' \
    '`a/b` `app*.hpp` `.cpp` `x.npy`' '```sh' 'cat solver/back/apply.hpp' '```' >"$folder/good.md"
  "${BASH_SOURCE[0]}" "$folder" || { echo "good documents are refused"; exit 1; }
  # shellcheck disable=SC2016
  for fault in '[a](solver/apply.hpp)' '`solver/apply.hpp`' '`applied.hpp`' '`test_applied`' \
    $'```sh\ncat solver/apply.hpp\n```' '[a](good.md#x) [b](gone.md)'; do
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
  sed -i 's/int/long/' "$folder/program.cpp"
  "${BASH_SOURCE[0]}" --update "$folder" || { echo "listings are not updated"; exit 1; }
  exit 0
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

# shellcheck disable=SC2016
while read -r document; do
  folder=$(dirname "$document")
  text=$(awk '/^ *```/ { block = !block; next } !block' "$document")
  blocks=$(awk '/^ *```/ { block = !block; next } block' "$document")
  while read -r target; do
    [[ -z $target || $target == *://* || $target == \#* ]] || [[ -e $folder/${target%%#*} ]] || fault "$document" "$target"
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

while read -r file; do  # a pointer may continue on the next line of a comment
  while read -r heading; do
    grep -qxF "## $heading" data/perf/DECISIONS.md || fault "$file" "the heading \"$heading\" of DECISIONS.md"
  done < <(sed 's|^ *//||' "$file" | tr -s ' \n' ' ' | grep -oE 'DECISIONS\.md[`)]*(, "[^"]+")+' | grep -oE '"[^"]+"' | tr -d '"' || true)
done < <(grep -E '\.(hpp|h|cuh|cpp|cu|c|py|md|sh|json)$' <<<"$files" | tr '\n' '\0' | xargs -0 grep -lI 'DECISIONS\.md[`)]*,' |
         grep -vx 'tests/test_documents.sh' || true)
((faults == 0))
