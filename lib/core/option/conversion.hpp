// Converts the values of keys between text and type. Everything here follows from the table in
// keys.hpp; value_kinds.hpp defines the text form of each type.
#pragma once

#include "core/option/settings.hpp"
#include "core/option/values.hpp"

#include <string>

namespace muster::option {

// The defaults with this one value set. Throws an Error of one line that names the key, the value and its
// source.
Values parse_value(Key key, const Setting& setting);

Values parse_values(const Settings& settings);

// The value of a key as the user would write it.
std::string value_of(const Values& values, Key key);

// Two texts with the same meaning have the same canonical text ("29500-29500" is "29500").
std::string canonical(Key key, const Setting& setting);

}  // namespace muster::option
