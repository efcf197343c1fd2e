// Deals cores to tasks, and moves tasks whose home is too small to the next wider place.
#include "core/binding/cores/share_cores.hpp"

#include "core/binding/cores/fair_share.hpp"
#include "core/binding/cores/locality.hpp"
#include "core/binding/cores/overcommit.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster {
namespace {

class Sharing {
 public:
  Sharing(const Topology& topology, const CpuSet& allowed, std::vector<CpuSet> homes)
      : topology_(topology),
        allowed_(allowed),
        cores_(usable_cores(topology, allowed)),
        homes_(std::move(homes)),
        displaced_(homes_.size(), false) {
    for (std::size_t task = 0; task < homes_.size(); ++task) settle(task);
  }

  Shares run() {
    for (bool enough = count_pus(cores_) >= homes_.size(); enough;) {
      Slots slots = cores_;
      Dealt dealt = deal(slots);
      while (split_crowded_cores(slots, dealt)) dealt = deal(slots);
      if (crowded(dealt).empty()) return {to_tasks(dealt), displaced_tasks(), false};
      enough = displace_surplus(dealt);
    }
    return {share_pus(single_pus(cores_), homes_), displaced_tasks(), true};
  }

 private:
  // A home with no allowed CPU is no home.
  void settle(std::size_t task) {
    CpuSet& home = homes_[task];
    if (home.empty()) home = allowed_;
    while (!home.intersects(allowed_)) widen(task);
    home &= allowed_;
  }

  void widen(std::size_t task) {
    homes_[task] = wider_home(topology_, allowed_, homes_[task]);
    displaced_[task] = true;
  }

  struct Dealt {
    std::vector<Group> groups;
    std::vector<Slots> runs;  // one per group
  };

  Dealt deal(const Slots& slots) const {
    auto groups = group_by_home(homes_);
    auto runs = deal_to_groups(slots, groups);
    return {std::move(groups), std::move(runs)};
  }

  // Positions of the groups that have fewer PUs than tasks.
  static std::vector<std::size_t> crowded(const Dealt& dealt) {
    std::vector<std::size_t> found;
    for (std::size_t g = 0; g < dealt.groups.size(); ++g)
      if (count_pus(dealt.runs[g]) < dealt.groups[g].tasks.size()) found.push_back(g);
    return found;
  }

  // Lets crowded groups share cores with others, thread by thread, and only there. False where
  // nothing is left to split.
  static bool split_crowded_cores(Slots& slots, const Dealt& dealt) {
    CpuSet tight;
    for (const auto g : crowded(dealt)) tight |= dealt.groups[g].home;
    Slots finer;
    for (const auto& slot : slots)
      if (slot.pus.intersects(tight))
        std::ranges::move(single_pus({slot}), std::back_inserter(finer));
      else
        finer.push_back(slot);
    std::swap(slots, finer);
    return slots.size() != finer.size();
  }

  std::vector<Slots> to_tasks(const Dealt& dealt) const {
    std::vector<Slots> shares(homes_.size());
    for (std::size_t g = 0; g < dealt.groups.size(); ++g) {
      const auto& tasks = dealt.groups[g].tasks;
      auto of_group = deal_to_tasks(joined_by_core(dealt.runs[g]), tasks.size());
      for (std::size_t i = 0; i < tasks.size(); ++i) shares[tasks[i]] = std::move(of_group[i]);
    }
    return shares;
  }

  // The last tasks of a crowded group move. A group that may go everywhere is never crowded as
  // long as there are enough PUs; were it so all the same, no home would change: false.
  bool displace_surplus(const Dealt& dealt) {
    const auto before = homes_;
    for (const auto g : crowded(dealt)) {
      const auto& tasks = dealt.groups[g].tasks;
      for (std::size_t i = count_pus(dealt.runs[g]); i < tasks.size(); ++i) {
        widen(tasks[i]);
        homes_[tasks[i]] &= allowed_;
      }
    }
    return homes_ != before;
  }

  std::vector<std::size_t> displaced_tasks() const {
    std::vector<std::size_t> tasks;
    for (std::size_t task = 0; task < displaced_.size(); ++task)
      if (displaced_[task]) tasks.push_back(task);
    return tasks;
  }

  const Topology& topology_;
  const CpuSet& allowed_;
  Slots cores_;
  std::vector<CpuSet> homes_;
  std::vector<bool> displaced_;
};

}  // namespace

Shares share_cores(const Topology& topology, const CpuSet& allowed, std::vector<CpuSet> homes) {
  return Sharing(topology, allowed, std::move(homes)).run();
}

}  // namespace muster
