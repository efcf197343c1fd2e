// A look at XML before hwloc sees it: what would crash a parser or is not meant for this hwloc
// is refused with words.
#pragma once

#include <cstddef>
#include <string_view>

namespace muster::topology::hwloc {

inline constexpr std::size_t max_xml_bytes = std::size_t{64} << 20;

// Throws Error naming `name`.
void check_topology_xml(std::string_view xml, std::string_view name);

}  // namespace muster::topology::hwloc
