// Fair shares of overlapping homes.
//
// Slots are sorted into cells: all slots of a cell are wanted by the same groups. Then the group
// with the least per task takes one slot at a time from where it costs the others least. For
// homes that nest or do not touch, as those of a hardware tree do, nobody could get more without
// someone poorer getting less.
#include "core/binding/cores/fair_share.hpp"

#include "core/binding/cores/split.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace muster {
namespace {

struct Cell {
  std::vector<std::size_t> wanted_by;  // groups
  std::vector<std::size_t> slots;
  std::size_t rivals = 0;  // tasks of these groups
  std::size_t left = 0;
  std::map<std::size_t, std::size_t> taken;  // group -> slots
};

std::vector<std::size_t> groups_wanting(const Slot& slot, const std::vector<Group>& groups) {
  std::vector<std::size_t> wanting;
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (groups[g].home.intersects(slot.pus)) wanting.push_back(g);
  return wanting;
}

std::vector<Cell> make_cells(const Slots& slots, const std::vector<Group>& groups) {
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    auto wanting = groups_wanting(slots[i], groups);
    if (wanting.empty()) continue;
    auto cell = std::ranges::find(cells, wanting, &Cell::wanted_by);
    if (cell == cells.end()) {
      cell = cells.insert(cells.end(), Cell{});
      cell->wanted_by = std::move(wanting);
      for (const auto g : cell->wanted_by) cell->rivals += groups[g].tasks.size();
    }
    cell->slots.push_back(i);
    ++cell->left;
  }
  return cells;
}

bool wants(std::size_t group, const Cell& cell) {
  return std::ranges::binary_search(cell.wanted_by, group);
}

// True if only some of the groups that want `b` want `a`.
bool is_narrower(const Cell& a, const Cell& b) {
  return a.wanted_by.size() < b.wanted_by.size() && std::ranges::includes(b.wanted_by, a.wanted_by);
}

// What costs others least: never a slot that more groups want while there is one that fewer of the
// same want; else from where the most is left for each task.
Cell* cheapest_cell(std::vector<Cell>& cells, std::size_t group) {
  Cell* best = nullptr;
  for (auto& cell : cells) {
    if (cell.left == 0 || !wants(group, cell)) continue;
    const bool cheaper =
        best == nullptr || is_narrower(cell, *best) ||
        (!is_narrower(*best, cell) && cell.left * best->rivals > best->left * cell.rivals);
    if (cheaper) best = &cell;
  }
  return best;
}

class Dealer {
 public:
  Dealer(std::vector<Cell>& cells, const std::vector<Group>& groups)
      : cells_(cells), groups_(groups), has_(groups.size(), 0), done_(groups.size(), false) {}

  void deal() {
    while (const auto group = poorest()) {
      Cell* cell = cheapest_cell(cells_, *group);
      done_[*group] = cell == nullptr;
      if (cell == nullptr) continue;
      --cell->left;
      ++cell->taken[*group];
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

  std::vector<Cell>& cells_;
  const std::vector<Group>& groups_;
  std::vector<std::size_t> has_;
  std::vector<bool> done_;
};

}  // namespace

std::vector<Group> group_by_home(const std::vector<CpuSet>& homes) {
  std::vector<Group> groups;
  for (std::size_t task = 0; task < homes.size(); ++task) {
    auto group = std::ranges::find(groups, homes[task], &Group::home);
    if (group == groups.end()) group = groups.insert(group, {homes[task], {}});
    group->tasks.push_back(task);
  }
  return groups;
}

std::vector<Slots> deal_to_groups(const Slots& slots, const std::vector<Group>& groups) {
  auto cells = make_cells(slots, groups);
  Dealer(cells, groups).deal();
  std::vector<std::vector<std::size_t>> dealt(groups.size());
  for (const auto& cell : cells) {
    auto next = cell.slots.begin();
    for (const auto& [group, count] : cell.taken)
      for (std::size_t i = 0; i < count; ++i) dealt[group].push_back(*next++);
  }
  std::vector<Slots> runs(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::ranges::sort(dealt[g]);
    for (const auto i : dealt[g]) runs[g].push_back(slots[i]);
  }
  return runs;
}

std::vector<Slots> deal_to_tasks(const Slots& slots, std::size_t tasks) {
  return tasks <= slots.size() ? split_evenly(slots, tasks) : split_cores(slots, tasks);
}

}  // namespace muster
