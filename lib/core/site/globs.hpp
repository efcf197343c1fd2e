// Names in the conditions of the site's rules. They are globs; an empty one means no condition.
#pragma once

#include <string>
#include <string_view>

namespace muster::file {
class Yaml;
}

namespace muster::site {

// The Error names file, line and column.
std::string parse_glob(const file::Yaml& value);

// An unknown word is empty, and matches no glob, not even "*".
bool matches(const std::string& glob, std::string_view word);

// Whether one of the words matches; they are separated by commas.
bool matches_any(const std::string& glob, std::string_view words);

}  // namespace muster::site
