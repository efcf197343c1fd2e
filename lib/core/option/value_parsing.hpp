// Reading the text of one value: numbers, lists, and the error that names key and source.
// For values.cpp only.
#pragma once

#include "core/error.hpp"
#include "core/option/settings.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace muster {

struct Limits {
  std::uint32_t least;
  std::uint32_t most;
  std::string_view why_below = {};  // what is wrong with less; empty: out of range
};

// "WHERE: KEY=VALUE: why; remedy".
Error invalid(Key key, const Setting& setting, std::string_view why, std::string_view remedy);

// Refuses what would break the option's own grammar, a line of output, or JSON.
void check_text(Key key, const Setting& setting);

// A whole number within limits; `text` is the value or a part of it.
std::uint32_t parse_number(Key key, const Setting& setting, std::string_view text, Limits limits);

// The parts between '+': at least one, none empty.
std::vector<std::string_view> split_list(Key key, const Setting& setting);

}  // namespace muster
