// Parses the text of one value: words, numbers and lists. Errors name the key and the source. For
// value_kinds.cpp only.
#pragma once

#include "core/error.hpp"
#include "core/option/key_info.hpp"
#include "core/option/setting.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace muster::option {

// A text and the key that it belongs to.
struct Given {
  const KeyInfo& key;
  const Setting& setting;
};

struct Limits {
  std::uint32_t min;
  std::uint32_t max;
  std::string_view why_below = {};  // why a smaller number is wrong; empty: it is out of range
};

// "WHERE: KEY=VALUE: why; remedy".
Error invalid(const Given& given, std::string_view why, std::string_view remedy);

// The text itself. Throws Error if it would break the option's grammar, a line of output or JSON.
std::string_view checked_text(const Given& given);

// The position of the text among the words of its key.
std::size_t parse_word(const Given& given);

// A whole number within limits; `text` is the value or a part of it.
std::uint32_t parse_number(const Given& given, std::string_view text, Limits limits);

struct TimeLimits {
  std::chrono::seconds min;
  std::chrono::seconds max;
  std::string_view why_below = {};
};

// A time within limits, in the key's unit unless the text has one.
std::chrono::seconds parse_time(const Given& given, std::string_view text, TimeLimits limits);

// The parts between '+': at least one, none of them empty.
std::vector<std::string_view> split_list(const Given& given);

}  // namespace muster::option
