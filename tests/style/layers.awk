# Usage: awk -f layers.awk layers.txt INCLUDES, where INCLUDES has lines "FILE <tab> INCLUDED FILE". Prints one line for
# each include that breaks the layers. Ends with 1 if there is one.

function room(file) { sub("/[^/]*$", "", file); return file }

function under(file, folder) { return index(file, folder "/") == 1 }

function complain(why) { print file ":" line ": includes " included ": " why; broken = 1 }

FNR == NR {
  if ($0 ~ /^#/ || NF == 0) next
  ++layers
  for (i = 1; i <= NF; ++i) layer[$i] = layers
  next
}

{
  split($0, part, "\t")
  file = part[1]; line = part[2]; included = part[3]
  from = room(file); to = room(included)
  if (!(from in layer)) { complain(from " is missing from tests/style/layers.txt"); next }
  if (!(to in layer)) { complain(to " is missing from tests/style/layers.txt"); next }
  if (under(file, "spank") && to != "spank" && to != "lib/wire" && to != "lib/confine")
    complain("the shim sees lib/wire and lib/confine only")
  else if (under(file, "lib/worker") && !under(included, "lib/worker") && to != "lib/secret")
    complain("the worker library sees lib/secret and itself only")
  else if (under(included, "lib/worker") && !under(file, "lib/worker"))
    complain("only the worker library sees itself")
  else if (from != to && layer[to] >= layer[from])
    complain(from " lies no higher than " to "; see tests/style/layers.txt")
}

END { exit broken }
