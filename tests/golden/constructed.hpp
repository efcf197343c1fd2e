// Machines that the tests construct, so that they are always there, unlike captures.
#pragma once

#include "core/topology/topology.hpp"

#include <string>
#include <vector>

namespace muster::golden {

struct ConstructedMachine {
  std::string name;
  topology::Topology node;
};

std::vector<ConstructedMachine> constructed_machines();

}  // namespace muster::golden
