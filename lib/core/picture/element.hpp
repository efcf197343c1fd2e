// hwloc's XML as a tree of values.
#pragma once

#include "core/topology/topology.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::picture {

struct Element {
  std::string type;  // hwloc's: Package, PCIDev
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string background = {};  // lstopo's own choice where empty
  std::vector<Element> children = {};
};

// What lstopo shows instead of the type. It writes words into SVG as they are, so only letters,
// digits and plain signs stay of them.
std::pair<std::string, std::string> words(std::string_view text);
std::string plain(std::string_view text);

// hwloc's form of a set: 0x00000001,0xffffffff
std::string bitmap(const CpuSet& set);

// A whole document.
std::string hwloc_xml(const Element& machine);

}  // namespace muster::picture
