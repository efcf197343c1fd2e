# Usage: awk -f wings.awk wings.txt INCLUDES, where INCLUDES has lines "FILE <tab> LINE <tab> INCLUDED FILE". Prints one
# line for each include between two wings of the launcher that wings.txt does not allow, and for each pair that it
# allows needlessly. Ends with 1 if it prints a line.

# The folder under launcher/; files directly in launcher/, the programs' main(), are "main".
function wing(file) { return split(file, part, "/") > 2 ? part[2] : "main" }

function complain(why) { print why; broken = 1 }

FILENAME == ARGV[1] {
  if ($0 ~ /^#/ || NF == 0) next
  sub(/:$/, "", $1)
  for (i = 2; i <= NF; ++i) {
    if (!($i in known)) complain("tests/style/wings.txt: " $1 " sees " $i ", which does not lie lower")
    allowed[$1, $i] = 1
  }
  known[$1] = 1
  next
}

{
  split($0, field, "\t")
  if (field[1] !~ /^launcher\// || field[3] !~ /^launcher\//) next
  from = wing(field[1]); to = wing(field[3])
  if (from == to) next
  used[from, to] = 1
  if (!((from, to) in allowed))
    complain(field[1] ":" field[2] ": includes " field[3] ": " from " sees no " to "; see tests/style/wings.txt")
}

END {
  for (arrow in allowed)
    if (!(arrow in used)) {
      split(arrow, end, SUBSEP)
      complain("tests/style/wings.txt: " end[1] " needs no " end[2] ": strike it")
    }
  exit broken
}
