#include "core/site/globs.hpp"

#include "core/error.hpp"
#include "core/file/yaml.hpp"
#include "core/text/list.hpp"

#include <algorithm>

#include <fnmatch.h>

namespace muster::site {

std::string parse_glob(const file::Yaml& value) {
  auto text = value.text();
  if (!text.empty()) return text;
  throw value.error("an empty name, which cannot match anything; write a name or a glob");
}

bool matches(const std::string& glob, std::string_view word) {
  if (glob.empty()) return true;
  return !word.empty() && fnmatch(glob.c_str(), std::string(word).c_str(), 0) == 0;
}

bool matches_any(const std::string& glob, std::string_view words) {
  if (glob.empty()) return true;
  return std::ranges::any_of(text::split(words, ','),
                             [&](auto word) { return matches(glob, word); });
}

}  // namespace muster::site
