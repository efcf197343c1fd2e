// Fair shares of overlapping localities.
//
// CoreSlots are sorted into regions: the same groups want all slots of a region. The group with the
// fewest slots per task then takes one slot at a time, from the region where this costs the other
// groups least. Localities in a hardware tree nest or do not touch. For these the result is max-min
// fair: no group could get more unless a poorer group got less.
#include "core/binding/cores/fair_share.hpp"

#include "core/binding/cores/split.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace muster::binding::cores {
namespace {

struct Region {
  std::vector<std::size_t> wanted_by;  // the groups that want it
  std::vector<std::size_t> slots;
  std::size_t demand = 0;  // tasks of these groups
  std::size_t left = 0;
  std::map<std::size_t, std::size_t> taken;  // group -> slots
};

std::vector<std::size_t> groups_wanting(const CoreSlot& slot, const std::vector<Group>& groups) {
  std::vector<std::size_t> wanting;
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (groups[g].locality.intersects(slot.pus)) wanting.push_back(g);
  return wanting;
}

std::vector<Region> make_regions(const CoreSlots& slots, const std::vector<Group>& groups) {
  std::vector<Region> regions;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    auto wanting = groups_wanting(slots[i], groups);
    if (wanting.empty()) continue;
    auto region = std::ranges::find(regions, wanting, &Region::wanted_by);
    if (region == regions.end()) {
      region = regions.insert(regions.end(), Region{});
      region->wanted_by = std::move(wanting);
      for (const auto g : region->wanted_by) region->demand += groups[g].tasks.size();
    }
    region->slots.push_back(i);
    ++region->left;
  }
  return regions;
}

bool wants(std::size_t group, const Region& region) {
  return std::ranges::binary_search(region.wanted_by, group);
}

// True if the groups that want `a` are a proper subset of those that want `b`.
bool is_narrower(const Region& a, const Region& b) {
  return a.wanted_by.size() < b.wanted_by.size() && std::ranges::includes(b.wanted_by, a.wanted_by);
}

// The region that costs the others least. Never takes a slot that more groups want while a subset
// of these groups wants another one; otherwise takes from the region with the most slots left per
// task.
Region* cheapest_region(std::vector<Region>& regions, std::size_t group) {
  Region* best = nullptr;
  for (auto& region : regions) {
    if (region.left == 0 || !wants(group, region)) continue;
    const bool cheaper =
        best == nullptr || is_narrower(region, *best) ||
        (!is_narrower(*best, region) && region.left * best->demand > best->left * region.demand);
    if (cheaper) best = &region;
  }
  return best;
}

class FairDivision {
 public:
  FairDivision(std::vector<Region>& regions, const std::vector<Group>& groups)
      : regions_(regions), groups_(groups), has_(groups.size(), 0), done_(groups.size(), false) {}

  void run() {
    while (const auto group = poorest()) {
      Region* region = cheapest_region(regions_, *group);
      done_[*group] = region == nullptr;
      if (region == nullptr) continue;
      --region->left;
      ++region->taken[*group];
      ++has_[*group];
    }
  }

 private:
  bool poorer(std::size_t a, std::size_t b) const {
    return has_[a] * groups_[b].tasks.size() < has_[b] * groups_[a].tasks.size();
  }

  std::optional<std::size_t> poorest() const {
    std::optional<std::size_t> best;
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (!done_[g] && (!best || poorer(g, *best))) best = g;
    return best;
  }

  std::vector<Region>& regions_;
  const std::vector<Group>& groups_;
  std::vector<std::size_t> has_;
  std::vector<bool> done_;
};

}  // namespace

std::vector<Group> group_by_locality(const std::vector<CpuSet>& localities) {
  std::vector<Group> groups;
  for (std::size_t task = 0; task < localities.size(); ++task) {
    auto group = std::ranges::find(groups, localities[task], &Group::locality);
    if (group == groups.end()) group = groups.insert(group, {localities[task], {}});
    group->tasks.push_back(task);
  }
  return groups;
}

std::vector<CoreSlots> divide_among_groups(const CoreSlots& slots,
                                           const std::vector<Group>& groups) {
  auto regions = make_regions(slots, groups);
  FairDivision(regions, groups).run();
  std::vector<std::vector<std::size_t>> given(groups.size());
  for (const auto& region : regions) {
    auto next = region.slots.begin();
    for (const auto& [group, count] : region.taken)
      for (std::size_t i = 0; i < count; ++i) given[group].push_back(*next++);
  }
  std::vector<CoreSlots> runs(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::ranges::sort(given[g]);
    for (const auto i : given[g]) runs[g].push_back(slots[i]);
  }
  return runs;
}

std::vector<CoreSlots> divide_among_tasks(const CoreSlots& slots, std::size_t tasks) {
  return tasks <= slots.size() ? split_evenly(slots, tasks) : split_cores(slots, tasks);
}

}  // namespace muster::binding::cores
