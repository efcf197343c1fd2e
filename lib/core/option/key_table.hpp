// The table of keys.hpp at run time: a KeyInfo for each entry, found by name.
#pragma once

#include "core/option/key_info.hpp"

#include <span>
#include <string_view>

namespace muster::option {

// In the order of the table.
std::span<const KeyInfo> keys();
const KeyInfo& info(Key key);
std::string_view to_string(Key key);

// nullptr where there is no such key.
const KeyInfo* find_key(std::string_view name);

// Error names `where`, and a key that does what was probably meant.
const KeyInfo& key_named(std::string_view name, std::string_view where);

// The default is always available: it is what this release does.
bool is_available(const KeyInfo& key, std::string_view value);

}  // namespace muster::option
