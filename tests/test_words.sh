#!/usr/bin/env bash
# Tests scripts/check_words.py: it finds a planted place of each kind in a small repository and nothing in plain text, and exits
# with 1 if a count exceeds its limit.
set -euo pipefail
checker=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/scripts/check_words.py
command -v python3 >/dev/null && command -v git >/dev/null || exit 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
git init -q project
printf '%s\t%s\t%s\n' name '\bseat\b' range text '\bbeside\b' 'next to' both '\bCRS\b' CSR path '^gone\.h$' 'an example' >words.txt
printf 'name\t\\bslab\\b\ttile\tsolver/\n# a comment\n\n' >>words.txt

failed=0
# found OPTION...: prints the places that the checker finds, in lines FILE:LINE: KIND: TEXT.
found() { python3 "$checker" --root project --words words.txt "$@" 2>/dev/null | grep -E ': (opening|fragment|identifier|term|long|path): ' || true; }
# expect TEXT FILE [PLACE...]: with TEXT in FILE the checker must find exactly these places, in this order.
expect() {
  local output
  mkdir -p "project/$(dirname "$2")"
  printf '%s\n' "$1" >"project/$2"
  git -C project add -A
  output=$(found)
  # shellcheck disable=SC2053  # the right-hand side is a pattern on purpose
  if [[ $output != "$(printf '%s\n' "${@:3}" | sed '/^$/d')" ]]; then
    printf 'FAILED: %s: expected %s, got:\n%s\n' "$1" "${*:3}" "$output"
    failed=1
  fi
  git -C project rm -qf "$2"
}

expect '// Copies the panel. It has 64 columns.' a.cpp
expect $'// Copies the panel.\n// Of the columns only some.' a.cpp 'a.cpp:2: opening: Of the columns only some.'
expect $'# Whether it runs.' a.py 'a.py:1: opening: Whether it runs.'
expect $'// The first sentence ends here. Those\n// are meant.' a.hpp 'a.hpp:1: opening: Those are meant.'
expect 'int n;  // rows of A' a.hpp
expect 'int n;  // of the panel' a.hpp 'a.hpp:1: fragment: of the panel'
expect 'int seat;' a.cu 'a.cu:1: identifier: seat -> range'
expect 'print("--seat", seats)' a.py 'a.py:1: identifier: seat -> range'
expect '// A seat.' a.cu
expect 'int slab;' solver/a.cpp 'solver/a.cpp:1: identifier: slab -> tile'
expect 'int slab;' apps/a.cpp
expect 'The sum beside it.' a.md 'a.md:1: term: beside -> next to'
expect 'int beside;' a.cpp
expect '/* CRS */ int CRS;' a.cpp 'a.cpp:1: identifier: CRS -> CSR' 'a.cpp:1: term: CRS -> CSR'
# shellcheck disable=SC2016
expect '`seat` and "beside"' a.txt
words=Long$(printf ' word%.0s' {1..35})
expect "Short. $words. Short." a.md "a.md:1: long: 36 words: '${words:0:80}'"
expect "| ${words% word} | ${words% word} |" a.md
expect $'```\n'"$words"$'\n```' a.md
expect '// See solver/gone.cpp and gone.h.' a.cpp 'a.cpp:1: path: solver/gone.cpp'
expect '// See a.cpp.' a.cpp
# shellcheck disable=SC2016
expect 'See `tests/gone`.' a.md 'a.md:1: path: tests/gone'

# Limits: a count may be at its limit, not above it; kinds without a limit do not count.
printf '// Of two.\n\n// Whether.\n\nint seat;\n' >project/a.cpp
git -C project add -A
check() { python3 "$checker" --root project --words words.txt "$@" >output 2>errors; }
check || { echo "FAILED: exit code without a limit"; failed=1; }
check --limit opening=2 || { echo "FAILED: a count at its limit is refused"; failed=1; }
status=0
check --limit opening=1 --limit term=0 || status=$?
[[ $status == 1 && $(cat errors) == 'opening: 2 places, limit 1' ]] || { echo "FAILED: a limit is exceeded: $status, $(cat errors)"; failed=1; }
[[ $(grep '^total' output) =~ ^total\ +2\ +0\ +1\ +0\ +0\ +0$ ]] || { echo "FAILED: the counts: $(grep '^total' output)"; failed=1; }
for wrong in opening opening=x opening=-1 openings=1; do
  status=0
  check --limit "$wrong" || status=$?
  [[ $status == 2 ]] || { echo "FAILED: --limit $wrong: $status"; failed=1; }
done
[[ $(found --show 1) == 'a.cpp:1: opening: Of two.' && $(found --only identifier) == 'a.cpp:5: identifier: seat -> range' ]] ||
  { echo "FAILED: --show, --only"; failed=1; }

((failed == 0)) && echo "all places found"
