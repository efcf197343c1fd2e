// Deals cores to tasks, and moves tasks whose locality is too small to the next wider locality.
#include "core/binding/cores/share_cores.hpp"

#include "core/binding/cores/fair_share.hpp"
#include "core/binding/cores/locality.hpp"
#include "core/binding/cores/overcommit.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::binding::cores {
namespace {

class Sharing {
 public:
  Sharing(const topology::Topology& topology, const CpuSet& allowed, std::vector<CpuSet> localities)
      : topology_(topology),
        allowed_(allowed),
        cores_(usable_cores(topology, allowed)),
        localities_(std::move(localities)),
        displaced_(localities_.size(), false) {
    for (std::size_t task = 0; task < localities_.size(); ++task) settle(task);
  }

  Shares run() {
    for (bool enough = count_pus(cores_) >= localities_.size(); enough;) {
      CoreSlots slots = cores_;
      Dealt given = deal(slots);
      while (split_crowded_cores(slots, given)) given = deal(slots);
      if (crowded(given).empty()) return {to_tasks(given), displaced_tasks(), false};
      enough = displace_surplus(given);
    }
    return {shared(), displaced_tasks(), true};
  }

 private:
  // A locality without allowed CPUs counts as unknown.
  void settle(std::size_t task) {
    CpuSet& locality = localities_[task];
    if (locality.empty()) locality = allowed_;
    while (!locality.intersects(allowed_)) widen(task);
    locality &= allowed_;
  }

  void widen(std::size_t task) {
    localities_[task] = wider_locality(topology_, allowed_, localities_[task]);
    displaced_[task] = true;
  }

  struct Dealt {
    std::vector<Group> groups;
    std::vector<CoreSlots> runs;  // one per group
  };

  Dealt deal(const CoreSlots& slots) const {
    auto groups = group_by_locality(localities_);
    auto runs = divide_among_groups(slots, groups);
    return {std::move(groups), std::move(runs)};
  }

  // Positions of the groups that have fewer PUs than tasks.
  static std::vector<std::size_t> crowded(const Dealt& given) {
    std::vector<std::size_t> found;
    for (std::size_t g = 0; g < given.groups.size(); ++g)
      if (count_pus(given.runs[g]) < given.groups[g].tasks.size()) found.push_back(g);
    return found;
  }

  // Splits cores into threads for crowded groups, and only in their localities, so that they can
  // share cores with others. Returns false if no core is left to split.
  static bool split_crowded_cores(CoreSlots& slots, const Dealt& given) {
    CpuSet tight;
    for (const auto g : crowded(given)) tight |= given.groups[g].locality;
    CoreSlots finer;
    for (const auto& slot : slots)
      if (slot.pus.intersects(tight))
        std::ranges::move(single_pus({slot}), std::back_inserter(finer));
      else
        finer.push_back(slot);
    std::swap(slots, finer);
    return slots.size() != finer.size();
  }

  std::vector<CoreSlots> to_tasks(const Dealt& given) const {
    std::vector<CoreSlots> shares(localities_.size());
    for (std::size_t g = 0; g < given.groups.size(); ++g) {
      const auto& tasks = given.groups[g].tasks;
      auto of_group = divide_among_tasks(joined_by_core(given.runs[g]), tasks.size());
      for (std::size_t i = 0; i < tasks.size(); ++i) shares[tasks[i]] = std::move(of_group[i]);
    }
    return shares;
  }

  std::vector<CoreSlots> shared() const {
    std::vector<CoreSlots> shares;
    for (const auto& cpus : shared_cpus(topology_, allowed_, localities_))
      shares.push_back(usable_cores(topology_, cpus));
    return shares;
  }

  // Moves the last tasks of each crowded group. A group that may run anywhere is not crowded if there are
  // enough PUs. If it is crowded nevertheless, no locality changes and the result is false.
  bool displace_surplus(const Dealt& given) {
    const auto before = localities_;
    for (const auto g : crowded(given)) {
      const auto& tasks = given.groups[g].tasks;
      for (std::size_t i = count_pus(given.runs[g]); i < tasks.size(); ++i) {
        widen(tasks[i]);
        localities_[tasks[i]] &= allowed_;
      }
    }
    return localities_ != before;
  }

  std::vector<std::size_t> displaced_tasks() const {
    std::vector<std::size_t> tasks;
    for (std::size_t task = 0; task < displaced_.size(); ++task)
      if (displaced_[task]) tasks.push_back(task);
    return tasks;
  }

  const topology::Topology& topology_;
  const CpuSet& allowed_;
  CoreSlots cores_;
  std::vector<CpuSet> localities_;
  std::vector<bool> displaced_;
};

}  // namespace

Shares share_cores(const topology::Topology& topology, const CpuSet& allowed,
                   std::vector<CpuSet> localities) {
  return Sharing(topology, allowed, std::move(localities)).run();
}

}  // namespace muster::binding::cores
