// hwloc's XML as a tree of values.
#pragma once

#include "core/cpuset.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::picture {

struct Element {
  std::string type;  // hwloc's type: Package, PCIDev
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string background = {};  // empty: lstopo chooses
  std::vector<Element> children = {};
};

// The text that lstopo shows instead of the type. lstopo writes it into SVG without escaping it, so only
// letters, digits and basic punctuation is kept.
std::pair<std::string, std::string> words(std::string_view text);
std::string plain(std::string_view text);

// hwloc's format of a set: 0x00000001,0xffffffff
std::string bitmap(const CpuSet& set);

// A complete document.
std::string hwloc_xml(const Element& machine);

}  // namespace muster::picture
