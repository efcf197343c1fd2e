// Loads a Topology from this machine, a file, or text in memory. Every source goes through hwloc,
// and none loads a vendor's library. Errors are muster::Error.
#pragma once

#include "core/topology/hwloc/scan.hpp"
#include "core/topology/topology.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace muster::topology::hwloc {

// The machine that this process runs on, including the CPUs that its cgroup forbids.
Topology load_live_topology(Scan scan);

// Likewise, but without the facts that change while the machine runs: see driver_facts.hpp.
Topology scan_machine(Scan scan);

std::string hwloc_version();  // of the library in use: "2.9"

// hwloc's XML, as `lstopo file.xml` writes it; at most 64 MiB. The text is not trusted.
Topology load_xml_topology(const std::filesystem::path& file);

// Likewise, from memory; `name` is the file's name in error messages.
Topology parse_xml_topology(std::string_view xml, std::string_view name);

}  // namespace muster::topology::hwloc
