// The values of keys from text to type and back. Everything here follows from the table of
// keys.hpp; what a type's text looks like is said in value_kinds.hpp.
#pragma once

#include "core/option/settings.hpp"
#include "core/option/values.hpp"

#include <string>

namespace muster::option {

// The defaults, and this one value. Error in one line that names the key, the value and its
// source.
Values parse_value(Key key, const Setting& setting);

Values parse_values(const Settings& settings);

// The value of a key as the user would write it.
std::string value_of(const Values& values, Key key);

// Two texts that mean the same have the same canonical text ("29500-29500" is "29500").
std::string canonical(Key key, const Setting& setting);

}  // namespace muster::option
