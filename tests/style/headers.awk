# Usage: awk -v most=N -f headers.awk headers.txt INCLUDES, where INCLUDES has lines "FILE <tab> LINE <tab> INCLUDED
# FILE". Prints one line for each header of lib/core that more than N compiled files see but headers.txt does not name,
# and for each that it names needlessly. Ends with 1 if it prints a line.

# see(FILE, SOURCE): SOURCE sees FILE and whatever FILE includes. A cycle ends at a file that was seen before.
function see(file, source,   i, count, includes) {
  if (last[file] == source) return
  last[file] = source
  ++seen[file]
  count = split(included[file], includes, "\t")
  for (i = 1; i <= count; ++i) see(includes[i], source)
}

function complain(header, why) { print header ": " why; bad = 1 }

FILENAME == ARGV[1] {
  if ($0 !~ /^#/ && NF > 0) named[$1] = NF
  next
}

{
  split($0, part, "\t")
  included[part[1]] = included[part[1]] (part[1] in included && included[part[1]] != "" ? "\t" : "") part[3]
}

END {
  for (file in included) sources[++count] = file
  for (i = 1; i <= count; ++i) if (sources[i] ~ /\.cpp$/) see(sources[i], sources[i])
  for (file in seen)
    if (file ~ /^lib\/core\/.*\.hpp$/ && seen[file] > most && !(file in named))
      complain(file, seen[file] " files see it, " most " at most: declare its types forward, or divide it")
  for (file in named) {
    if (named[file] < 2) complain(file, "tests/style/headers.txt says no reason")
    if (seen[file] <= most) complain(file, seen[file] + 0 " files see it: strike it from tests/style/headers.txt")
  }
  exit bad
}
