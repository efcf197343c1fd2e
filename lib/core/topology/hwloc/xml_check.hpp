// Checks XML before hwloc reads it. XML that would crash a parser, or that is not meant for this
// hwloc, is refused with an explanation.
#pragma once

#include <cstddef>
#include <string_view>

namespace muster::topology::hwloc {

inline constexpr std::size_t max_xml_bytes = std::size_t{64} << 20;

// Throws Error, which names `name`.
void check_topology_xml(std::string_view xml, std::string_view name);

}  // namespace muster::topology::hwloc
