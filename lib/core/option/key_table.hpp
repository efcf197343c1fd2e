// The table of keys.hpp at run time: a KeyInfo for each entry, found by name.
#pragma once

#include "core/option/key_info.hpp"

#include <span>
#include <string_view>

namespace muster::option {

// In the table's order.
std::span<const KeyInfo> keys();
const KeyInfo& info(Key key);
std::string_view to_string(Key key);

// nullptr if the key does not exist.
const KeyInfo* find_key(std::string_view name);

// The Error names `where` and suggests the key that was probably meant.
const KeyInfo& key_named(std::string_view name, std::string_view where);

// What to do about a key that is not available: "leave hang out".
std::string without(const KeyInfo& key);

// The default value is always available, because it is what this release does.
bool is_available(const KeyInfo& key, std::string_view value);

}  // namespace muster::option
