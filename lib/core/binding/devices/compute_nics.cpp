#include "core/binding/devices/compute_nics.hpp"

#include "core/topology/topology.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fnmatch.h>

namespace muster::binding::devices {
namespace {

using NicList = std::vector<std::size_t>;

bool is_named(const topology::Nic& nic, const std::string& glob) {
  const auto matches = [&](const std::string& name) {
    return fnmatch(glob.c_str(), name.c_str(), 0) == 0;
  };
  return matches(nic.name) || std::ranges::any_of(nic.networks, matches) ||
         matches(to_string(nic.address));
}

bool usable(const topology::Nic& nic, const std::vector<std::string>& excluded) {
  return nic.rdma && nic.up.value_or(true) &&
         std::ranges::none_of(excluded, [&](const auto& glob) { return is_named(nic, glob); });
}

bool is_infiniband(const topology::Nic& nic) {
  return nic.infiniband.value_or(false);
}

auto fabric_of(const topology::Nic& nic) {
  return std::tuple(nic.api, is_infiniband(nic));
}

double fastest(const topology::Topology& topology, const NicList& nics) {
  double speed = 0;
  for (const auto nic : nics) speed = std::max(speed, topology.nics[nic].gigabits.value_or(0));
  return speed;
}

// Prefers the faster fabric, and InfiniBand if both are equally fast, because a node has InfiniBand for no
// other purpose.
auto worth(const topology::Topology& topology, const NicList& nics) {
  return std::tuple(fastest(topology, nics), is_infiniband(topology.nics[nics.front()]),
                    nics.size());
}

}  // namespace

NicList compute_nics(const topology::Topology& topology, const std::vector<std::string>& excluded) {
  std::map<std::tuple<topology::NicApi, bool>, NicList> fabrics;
  for (std::size_t i = 0; i < topology.nics.size(); ++i)
    if (usable(topology.nics[i], excluded)) fabrics[fabric_of(topology.nics[i])].push_back(i);
  NicList best;
  for (const auto& [fabric, nics] : fabrics)
    if (best.empty() || worth(topology, best) < worth(topology, nics)) best = nics;
  const double enough = fastest(topology, best) / 2;
  std::erase_if(
      best, [&](std::size_t nic) { return topology.nics[nic].gigabits.value_or(enough) < enough; });
  return best;
}

}  // namespace muster::binding::devices
