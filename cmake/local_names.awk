# Usage: awk -v most=N -f local_names.awk FILE..., with the files of a target in order. Prints
# "GROUP;FILE;GROUP;FILE...". Files of one folder get the same GROUP if they may be compiled as one: at most N files,
# none of which defines a local name (in an unnamed namespace) that another one also defines.
#
# A name starts a line here, as clang-format leaves it. A name that this script misses only causes a compiler error.

# The name that LINE declares, or "".
function declared(line,   words) {
  sub(/ *\/\/.*/, "", line)
  if (line ~ /^(using namespace|namespace|template|static_assert|friend|return|extern|public|private|protected)/) return ""
  if (line ~ /^using .*::/ && line !~ /=/) return ""
  if (match(line, /^(using|enum class|enum|struct|class|union) [A-Za-z_0-9]+/))
    return line ~ /^(struct|class|enum class)[^{]*;$/ ? "" : last_word(substr(line, 1, RLENGTH))
  if (match(line, /^#define [A-Za-z_0-9]+/)) return last_word(substr(line, 1, RLENGTH))
  if (match(line, /^[A-Za-z\[][^(={]*[ *&>][A-Za-z_0-9]+(\[[^\]]*\])?( =|\{|;| \{)/)) {
    words = substr(line, 1, RLENGTH)
    sub(/(\[[^\]]*\])?( =|\{|;| \{)$/, "", words)
    return last_word(words)
  }
  if (match(line, /^[A-Za-z\[][^(]*[ *&>][A-Za-z_0-9]+\(/)) return last_word(substr(line, 1, RLENGTH - 1))
  return ""
}

function last_word(text) { sub(/.*[^A-Za-z_0-9]/, "", text); return text }

FNR == 1 { file[++files] = FILENAME; unnamed = 0 }
/^namespace \{/ { unnamed = 1; next }
/^\}  \/\/ namespace$/ { unnamed = 0; next }
/^[A-Za-z#\[]/ {
  name = declared($0)
  if (name == "") next
  if (unnamed || /^#define/ || /^static /) own[files] = own[files] " " name
  else shared[files] = shared[files] " " name
}

# Whether a file fits into the group: neither side has a local name that the other also has.
function fits(number, group,   i, count, words) {
  if (members[group] >= most) return 0
  count = split(own[number], words, " ")
  for (i = 1; i <= count; ++i) if ((group, words[i]) in group_own || (group, words[i]) in group_shared) return 0
  count = split(shared[number], words, " ")
  for (i = 1; i <= count; ++i) if ((group, words[i]) in group_own) return 0
  return 1
}

function add(number, group,   i, count, words) {
  ++members[group]
  count = split(own[number], words, " ")
  for (i = 1; i <= count; ++i) group_own[group, words[i]] = 1
  count = split(shared[number], words, " ")
  for (i = 1; i <= count; ++i) group_shared[group, words[i]] = 1
  printf "%s%s;%s", separator, group, file[number]
  separator = ";"
}

END {
  for (number = 1; number <= files; ++number) {
    folder = file[number]
    if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
    for (i = 0; !fits(number, folder "_" i); ++i) {}
    add(number, folder "_" i)
  }
}
