// Valid profile names. A name is both a word of the option and the name of a file.
#pragma once

#include <string_view>

namespace muster::option {

// [a-z0-9_-]+, at most 64 bytes.
bool is_profile_name(std::string_view name);

}  // namespace muster::option
