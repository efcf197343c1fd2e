// A node's hardware as `muster topo` shows it: its devices, and which of them a task may use.
#pragma once

#include "core/text/columns.hpp"
#include "core/topology/topology.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace muster::explain {

// The part of a node that one task or user may use.
struct AllowedPart {
  std::string whose;  // "task 3 of step 12.0"
  CpuSet cpus;
  std::vector<std::size_t> gpus = {};  // positions in Topology::gpus
};

struct TopologyView {
  std::string node;    // its name; empty if only a file describes it
  std::string source;  // "this machine", a file
  topology::Topology topology = {};
  std::optional<AllowedPart> allowed = {};
  std::vector<std::string> warnings = {};
};

// For people: a table each of packages, memory, L3 groups, GPUs and NICs if the node has them, and how the
// devices are connected.
std::string to_table(const TopologyView& view, const text::TableStyle& style);

// For programs, version 1: see docs/man/muster.1. Within a version, fields may be added but never renamed.
std::string to_json(const TopologyView& view);

}  // namespace muster::explain
