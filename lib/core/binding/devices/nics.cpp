// The nearest NICs by common ancestor.
#include "core/binding/devices/nics.hpp"

#include "core/binding/devices/distance.hpp"
#include "core/contains.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace muster::binding::devices {
namespace {

using NicList = std::vector<std::size_t>;
using DistanceTo = std::function<Distance(const topology::Nic&)>;

// Among equally near ports, InfiniBand beats Ethernet (a cloud's front-end network, a storage port), and a
// faster port beats a slower one.
auto badness(const topology::Nic& nic, const DistanceTo& distance_to) {
  return std::tuple(distance_to(nic), !nic.infiniband.value_or(false), -nic.gigabits.value_or(0));
}

NicList nearest(const topology::Topology& topology, const NicList& nics,
                const DistanceTo& distance_to) {
  NicList best;
  for (const auto nic : nics) {
    const auto here = badness(topology.nics[nic], distance_to);
    if (!best.empty()) {
      const auto there = badness(topology.nics[best.front()], distance_to);
      if (there < here) continue;
      if (here < there) best.clear();
    }
    best.push_back(nic);
  }
  return best;
}

NicList nics_of(const topology::Topology& topology, const NicList& nics, const TaskDevices& task) {
  if (task.gpus.empty())
    return nearest(topology, nics,
                   [&](const topology::Nic& nic) { return distance(topology, task.cpus, nic.at); });
  NicList chosen;
  for (const auto gpu : task.gpus)
    for (const auto nic : nearest(topology, nics, [&](const topology::Nic& candidate) {
           return distance(topology, topology.gpus[gpu].at, candidate.at);
         }))
      if (!contains(chosen, nic)) chosen.push_back(nic);
  return chosen;
}

// Makes tasks that share NICs start with different ones. Each takes the NIC with which the fewest tasks
// start; tasks without a choice go first.
void take_turns(std::vector<NicList>& choices) {
  std::vector<NicList*> turns;
  for (auto& choice : choices)
    if (!choice.empty()) turns.push_back(&choice);
  std::ranges::stable_sort(turns, {}, [](const NicList* choice) { return choice->size(); });
  std::map<std::size_t, std::size_t> begun;
  for (NicList* choice : turns) {
    const auto freest = std::ranges::min_element(*choice, {}, [&](auto nic) { return begun[nic]; });
    ++begun[*freest];
    std::ranges::rotate(*choice, freest);
  }
}

}  // namespace

std::vector<NicList> choose_nics(const topology::Topology& topology,
                                 const std::vector<TaskDevices>& tasks, const NicList& nics) {
  std::vector<NicList> choices;
  std::map<GpuList, NicList> known;  // many tasks may share few GPUs
  for (const auto& task : tasks) {
    auto [found, unknown] = known.try_emplace(task.gpus);
    if (unknown || task.gpus.empty()) found->second = nics_of(topology, nics, task);
    choices.push_back(found->second);
  }
  take_turns(choices);
  return choices;
}

}  // namespace muster::binding::devices
