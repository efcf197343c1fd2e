// A key without the type of its value, as the parser and the help use it.
#pragma once

#include "core/option/key.hpp"
#include "core/option/need.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace muster::option {

struct Setting;
struct Values;

// The `since` of a key whose feature is not built yet. Using the key is an error.
inline constexpr std::string_view not_yet{};

// An entry of the table without its type.
struct KeyInfo {
  Key key;
  std::string_view name;
  std::string form;          // the text that help shows after '='; empty for an on/off switch
  std::string default_text;  // a value that the key accepts, even while it is not_yet
  Need needs;
  std::string_view meaning;
  std::string_view since;
  std::string_view none;                // as in Entry
  std::vector<std::string_view> words;  // the closed set; empty if the value is free text
  bool is_switch;                       // KEY alone means KEY=on
  std::chrono::seconds unit;  // for a time given without a unit; 0 if the value is not a time
  std::string range;          // for people, such as "1s to 1h"; empty if there is none

  // For conversion.cpp: converts this key's field from text and to text.
  void (*read)(Values& values, const KeyInfo& key, const Setting& setting);
  std::string (*write)(const Values& values);
};

}  // namespace muster::option
