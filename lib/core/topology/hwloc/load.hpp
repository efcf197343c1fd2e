// Where a Topology comes from: this machine, a file, or text in memory. All of it goes through
// hwloc; none of it loads a vendor's library. Errors are muster::Error.
#pragma once

#include "core/topology/hwloc/scan.hpp"
#include "core/topology/topology.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace muster::topology::hwloc {

// The machine that this process runs on, with the CPUs that its cgroup forbids.
Topology load_live_topology(Scan scan);

// The same without the facts that change while it runs: see live_facts.hpp.
Topology scan_machine(Scan scan);

std::string hwloc_version();  // of the library that runs: "2.9"

// hwloc's XML, as `lstopo file.xml` writes it; at most 64 MiB. The text is taken as hostile.
Topology load_xml_topology(const std::filesystem::path& file);

// The same from memory; `name` stands for the file in error messages.
Topology parse_xml_topology(std::string_view xml, std::string_view name);

}  // namespace muster::topology::hwloc
