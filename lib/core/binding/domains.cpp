// Finds the domains of a node that contain the CPUs that a task wants.
#include "core/binding/domains.hpp"

#include "core/binding/cores/locality.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <iterator>

namespace muster::binding {
namespace {

// A domain counts as near even if the step may only use other CPUs of it: a GPU near one L3 group is in
// that group's NUMA node, whichever CPUs of the node the step may use.
Nearby nearby(const topology::Topology& topology, const Domains& all, const CpuSet& allowed,
              CpuSet locality) {
  Nearby near;
  while (!locality.empty()) {
    near.domains = usable_domains(touching(all, locality), allowed);
    if (!near.domains.empty()) break;
    near.lost = true;
    locality = cores::wider_locality(topology, allowed, locality);
    if (locality.includes(allowed)) break;
  }
  return near;
}

}  // namespace

Domains usable_domains(const Domains& domains, const CpuSet& allowed) {
  Domains usable;
  for (const auto& part : domains)
    if (part.intersects(allowed)) usable.push_back(part & allowed);
  return usable;
}

Domains touching(const Domains& domains, const CpuSet& cpus) {
  Domains found;
  std::ranges::copy_if(domains, std::back_inserter(found),
                       [&](const CpuSet& part) { return part.intersects(cpus); });
  return found;
}

CpuSet joined(const Domains& domains) {
  CpuSet cpus;
  for (const auto& part : domains) cpus |= part;
  return cpus;
}

std::vector<Nearby> nearby_domains(const topology::Topology& topology, const Domains& all,
                                   const Localities& localities) {
  std::vector<Nearby> tasks;
  for (const auto& locality : localities.of_task)
    tasks.push_back(nearby(topology, all, localities.allowed, locality));
  return tasks;
}

Spread::Spread(const std::vector<Nearby>& tasks, const Domains& usable)
    : tasks_(static_cast<std::size_t>(
          std::ranges::count_if(tasks, [](const Nearby& near) { return near.domains.empty(); }))),
      usable_(usable) {}

const CpuSet& Spread::next() {
  const std::size_t task = next_++;
  return usable_[tasks_ <= usable_.size() ? task * usable_.size() / tasks_ : task % usable_.size()];
}

}  // namespace muster::binding
