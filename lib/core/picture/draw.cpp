#include "core/picture/draw.hpp"

#include "core/picture/devices.hpp"
#include "core/picture/processors.hpp"
#include "core/topology/topology.hpp"

#include <utility>

namespace muster::picture {

plan::Drawing draw(const topology::Topology& topology, const plan::NodePlan& plan) {
  topology::Topology drawn = topology;
  const auto owners = owners_of(drawn, plan);
  auto machine = processors(drawn, owners, plan);
  add_devices(machine, drawn, owners, plan);
  auto element = to_element(std::move(machine));
  element.attributes.emplace_back("allowed_cpuset", bitmap(drawn.pus));
  element.attributes.emplace_back("allowed_nodeset", element.attributes[2].second);
  return {hwloc_xml(element), threads_differ(drawn, owners)};
}

}  // namespace muster::picture
