// Checks XML before hwloc reads it. Refuses, with an explanation, XML that would crash a parser or is not
// meant for this hwloc.
#pragma once

#include <cstddef>
#include <string_view>

namespace muster::topology::hwloc {

inline constexpr std::size_t max_xml_bytes = std::size_t{64} << 20;

// The Error contains `name`.
void check_topology_xml(std::string_view xml, std::string_view name);

}  // namespace muster::topology::hwloc
