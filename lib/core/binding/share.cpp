// Deals cores to tasks, and moves tasks whose home is too small to the next wider place.
#include "core/binding/share.hpp"

#include "core/binding/deal.hpp"
#include "core/binding/home.hpp"
#include "core/binding/overcommit.hpp"

#include <algorithm>

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
    if (count_pus(cores_) < homes_.size())
      return {share_pus(single_pus(cores_), homes_), displaced_tasks(), true};
    for (;;) {
      if (auto shares = try_slots(cores_)) return {std::move(*shares), displaced_tasks(), false};
      const Slots threads = single_pus(cores_);
      if (auto shares = try_slots(threads)) return {std::move(*shares), displaced_tasks(), false};
      displace_surplus(threads);
    }
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

  std::optional<std::vector<Slots>> try_slots(const Slots& slots) const {
    const auto groups = group_by_home(homes_);
    const auto runs = deal_to_groups(slots, groups);
    std::vector<Slots> shares(homes_.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      auto dealt = deal_to_tasks(joined_by_core(runs[g]), groups[g].tasks.size());
      if (!dealt) return std::nullopt;
      for (std::size_t i = 0; i < dealt->size(); ++i)
        shares[groups[g].tasks[i]] = std::move((*dealt)[i]);
    }
    return shares;
  }

  // The last tasks of a crowded group move; a group that may go everywhere is never crowded as
  // long as there are enough PUs, so this comes to an end.
  void displace_surplus(const Slots& threads) {
    const auto groups = group_by_home(homes_);
    const auto runs = deal_to_groups(threads, groups);
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (std::size_t i = runs[g].size(); i < groups[g].tasks.size(); ++i) {
        const std::size_t task = groups[g].tasks[i];
        widen(task);
        homes_[task] &= allowed_;
      }
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
