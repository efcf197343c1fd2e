// Names in the conditions of the site's rules: globs, of which an empty one stands for no condition.
#pragma once

#include <string>
#include <string_view>

namespace muster::file {
class Yaml;
}

namespace muster::site {

// The Error names file, line and column.
std::string parse_glob(const file::Yaml& value);

// A word that is not known is empty, and matches no glob, not even "*".
bool matches(const std::string& glob, std::string_view word);

// One of the words, which are separated by commas.
bool matches_any(const std::string& glob, std::string_view words);

}  // namespace muster::site
