#!/usr/bin/env bash
# scripts/man_pages.sh COMMAND FOLDER
# Writes a man page of eigen_g and one of each of its subcommands (eigen_g-solve.1, eigen_g-bench-symv.1) into FOLDER, from their
# --help, by help2man. COMMAND is the program eigen_g.
set -euo pipefail
command=$(realpath "$1")
mkdir -p "$2"
cd "$2"
rm -f ./*.1
ln -sf "$command" eigen_g  # help2man takes the program's name from the file
trap 'rm -f eigen_g' EXIT
version=$(./eigen_g --version)

# page WORD...: the page of `eigen_g WORD...`, then those of its own subcommands
page() {
  local name line help what sub
  name=$(IFS=- && echo "eigen_g${*:+-}$*") line="./eigen_g${*:+ $*}"
  help=$(./eigen_g "$@" --help)
  what=${help%%[.:]*}
  what=${what//$'\n'/ }
  [[ $what == [A-Z]' '* ]] || what=${what,}  # not the name of a matrix
  {
    help2man --no-info --version-string="$version" --manual=eigen_g --source="$version" --name="$what" "$line" |
      sed "/^\\.TH/ s/^.* \"1\"/.TH ${name^^} \"1\"/; /^\\.SH NAME/ { n; s/^.* \\\\- /$name \\\\- / }"
    [[ $# == 0 ]] || printf '.SH "SEE ALSO"\n.BR eigen_g (1)\n'
  } >"$name.1"
  while read -r sub; do page "$@" "$sub"; done < <(sed -n '/^Subcommands:/,/^$/ s/^  \([a-z][a-z-]*\) .*/\1/p' <<<"$help")
}
page
