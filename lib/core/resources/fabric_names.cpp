// The values only; fabric_names.hpp says where the names of the variables are.
#include "core/resources/fabric_names.hpp"

#include "core/text/list.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace muster::resources {
namespace {

using Names = std::vector<std::string>;

Names devices(const topology::Topology& topology, const std::vector<std::size_t>& nics,
              topology::NicApi api) {
  Names names;
  for (const auto nic : nics)
    if (topology.nics[nic].api == api) names.push_back(topology.nics[nic].name);
  return names;
}

// If the ports are unknown, just the first one: most NICs have only one.
Names ports(const topology::Topology& topology, const std::vector<std::size_t>& nics) {
  Names names;
  for (const auto position : nics) {
    const auto& nic = topology.nics[position];
    if (nic.api != topology::NicApi::verbs) continue;
    if (nic.ports.empty()) names.push_back(nic.name + ":1");
    for (const auto port : nic.ports) names.push_back(fmt::format("{}:{}", nic.name, port));
  }
  return names;
}

}  // namespace

FabricNames fabric_names(const topology::Topology& topology, const std::vector<std::size_t>& node,
                         const std::vector<std::size_t>& own) {
  const auto verbs = devices(topology, node, topology::NicApi::verbs);
  auto cxi = devices(topology, node, topology::NicApi::cxi);
  // An old kernel or hwloc reports only a Slingshot NIC's interface, and libfabric does not use
  // that name.
  std::erase_if(cxi, [](const std::string& name) { return !name.starts_with("cxi"); });
  return {.nccl = verbs.empty() ? "" : fmt::format("={}", text::join(verbs, ",")),
          .ucx = text::join(ports(topology, own), ","),
          .cxi = text::join(cxi, ",")};
}

}  // namespace muster::resources
