#include "core/picture/drawing.hpp"

#include "core/picture/devices.hpp"
#include "core/picture/processors.hpp"

#include <utility>

namespace muster {

Drawing draw(const Topology& topology, const NodePlan& plan) {
  Topology drawn = topology;
  const auto takers = takers_of(drawn, plan);
  auto machine = processors(drawn, takers, plan);
  add_devices(machine, drawn, takers, plan);
  auto element = to_element(std::move(machine));
  element.attributes.emplace_back("allowed_cpuset", bitmap(drawn.pus));
  element.attributes.emplace_back("allowed_nodeset", element.attributes[2].second);
  return {hwloc_xml(element), threads_differ(drawn, takers)};
}

}  // namespace muster
