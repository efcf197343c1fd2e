// Counts cores; tasks that share a core count a fraction of it.
#include "core/binding/threads.hpp"

#include <algorithm>

namespace muster::binding {

std::vector<std::size_t> threads_of(const cores::CoreSlots& cores,
                                    const std::vector<CpuSet>& cpus) {
  constexpr double rounding = 1e-9;  // k times 1/k may come out a little below 1
  std::vector<double> domains(cpus.size(), rounding);
  for (const auto& core : cores) {
    const auto uses = [&](const CpuSet& set) { return set.intersects(core.pus); };
    const auto users = static_cast<double>(std::ranges::count_if(cpus, uses));
    for (std::size_t task = 0; task < cpus.size(); ++task)
      if (uses(cpus[task])) domains[task] += 1 / users;
  }
  std::vector<std::size_t> threads;
  threads.reserve(domains.size());
  for (const double part : domains)
    threads.push_back(std::max<std::size_t>(1, static_cast<std::size_t>(part)));
  return threads;
}

}  // namespace muster::binding
