# Doxygen's input filter: the contracts above declarations are plain comments, which Doxygen does not read. In C++ headers a
# block of // lines becomes one of ///, the first of a file its description; // after a declaration becomes ///<. In C headers /*
# becomes /**. Lines that are indented in a comment, equations and lists of arguments, keep their layout.
function escaped(text) {
  gsub(/\\/, "\\\\", text)
  gsub(/[<>@#&$%]/, "\\\\&", text)
  return text
}
function close_layout() {
  if (layout) print indent (c ? "" : "/// ") "\\endverbatim"
  layout = 0
}
function say(text) {  # one line of a block
  if (text ~ /^   / && !layout) {
    print indent (c ? "" : "/// ") "\\verbatim"
    layout = 1
  } else if (text ~ /^ ? ?[^ ]/) {
    close_layout()
  }
  print indent (c ? "" : "///") (layout ? text : escaped(text))
}
BEGIN { c = ARGV[1] ~ /\.h$/ }
c && (inside || /^ *\/\*/) {
  if (!inside) {
    match($0, /^ */)
    indent = substr($0, 1, RLENGTH)
    $0 = " *" substr($0, RLENGTH + 3)
    print indent "/** " (FNR == 1 ? "\\file" : "")
  }
  inside = !sub(/ *\*\/.*/, "")
  sub(/^ *\*/, "")
  say($0)
  if (!inside) {
    close_layout()
    print indent " */"
  }
  next
}
c {
  if (match($0, /\/\* .* \*\/$/)) $0 = substr($0, 1, RSTART + 1) "*<" escaped(substr($0, RSTART + 2))
  print
  next
}
/^ *\/\// {
  match($0, /^ */)
  # A trailing comment that continues on the next line is far to the right.
  if (behind && RLENGTH > 20) {
    sub(/\/\//, "///<")
    print
    next
  }
  behind = 0
  indent = substr($0, 1, RLENGTH)
  text = substr($0, RLENGTH + 3)
  if (FNR == 1) print "/// \\file"
  say(text)
  next
}
/^(struct|class) [A-Za-z_]+; *\/\// {  # a declaration of a type of another library: Doxygen would give its comment to the namespace
  sub(/ *\/\/.*/, "")
}
{
  close_layout()
  behind = 0
  if (match($0, /[;,{)}]  +\/\/ /) || match($0, /[;,]  *\/\/ /)) {
    at = index(substr($0, RSTART), "//") + RSTART - 1
    $0 = substr($0, 1, at - 1) "///<" escaped(substr($0, at + 2))
    behind = 1
  }
  print
}
