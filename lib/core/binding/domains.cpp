// From the CPUs that a task wants to the parts of the node that hold them.
#include "core/binding/domains.hpp"

#include "core/binding/cores/locality.hpp"

#include <algorithm>
#include <iterator>

namespace muster {
namespace {

// A part counts as beside the home even where the step has only the rest of it: a GPU beside one
// L3 group is in its NUMA node, whichever CPUs of that the step may use.
Nearby nearby(const Topology& topology, const Parts& all, const CpuSet& allowed, CpuSet home) {
  Nearby near;
  while (!home.empty()) {
    near.parts = usable_parts(touching(all, home), allowed);
    if (!near.parts.empty()) break;
    near.lost = true;
    home = wider_home(topology, allowed, home);
    if (home.includes(allowed)) break;
  }
  return near;
}

}  // namespace

Parts usable_parts(const Parts& parts, const CpuSet& allowed) {
  Parts usable;
  for (const auto& part : parts)
    if (part.intersects(allowed)) usable.push_back(part & allowed);
  return usable;
}

Parts touching(const Parts& parts, const CpuSet& cpus) {
  Parts found;
  std::ranges::copy_if(parts, std::back_inserter(found),
                       [&](const CpuSet& part) { return part.intersects(cpus); });
  return found;
}

CpuSet joined(const Parts& parts) {
  CpuSet cpus;
  for (const auto& part : parts) cpus |= part;
  return cpus;
}

std::vector<Nearby> nearby_parts(const Topology& topology, const Parts& all, const Wishes& wishes) {
  std::vector<Nearby> tasks;
  for (const auto& home : wishes.homes)
    tasks.push_back(nearby(topology, all, wishes.allowed, home));
  return tasks;
}

Spread::Spread(const std::vector<Nearby>& tasks, const Parts& usable)
    : tasks_(static_cast<std::size_t>(
          std::ranges::count_if(tasks, [](const Nearby& near) { return near.parts.empty(); }))),
      usable_(usable) {}

const CpuSet& Spread::next() {
  const std::size_t task = next_++;
  return usable_[tasks_ <= usable_.size() ? task * usable_.size() / tasks_ : task % usable_.size()];
}

}  // namespace muster
