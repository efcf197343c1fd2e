// Even shares whose edges lie, where possible, on the edges of the hardware.
//
// With q = slots / tasks and r = slots % tasks, r shares have q + 1 slots. The edge after task i is
// at i * q + (extras given so far), so dynamic programming over (task, extras) finds the best
// edges. It is cheap and exact, and gives the same result on every machine.
#include "core/binding/cores/split.hpp"

#include <cstdint>

namespace muster::binding::cores {
namespace {

// One edge between packages outweighs any number of edges between NUMA nodes, and so on down.
std::int64_t worth_of_edge(const CoreSlots& slots, std::size_t at) {
  const CoreSlot& left = slots[at - 1];
  const CoreSlot& right = slots[at];
  if (left.package != right.package) return std::int64_t{1} << 34;
  if (left.numa != right.numa) return std::int64_t{1} << 17;
  if (left.l3 != right.l3) return 1;
  return 0;
}

class EdgeSearch {
 public:
  EdgeSearch(const CoreSlots& slots, std::size_t tasks)
      : slots_(slots),
        tasks_(tasks),
        small_(slots.size() / tasks),
        extras_(slots.size() % tasks),
        best_((tasks + 1) * (extras_ + 1), unreachable) {
    for (std::size_t task = tasks_ + 1; task-- > 0;)
      for (std::size_t given = extras_ + 1; given-- > 0;) at(task, given) = value(task, given);
  }

  std::vector<std::size_t> sizes() {
    std::vector<std::size_t> sizes;
    std::size_t given = 0;
    for (std::size_t task = 0; task < tasks_; ++task) {
      const bool extra = given < extras_ && at(task + 1, given + 1) >= at(task + 1, given);
      given += extra ? 1 : 0;
      sizes.push_back(small_ + (extra ? 1 : 0));
    }
    return sizes;
  }

 private:
  static constexpr std::int64_t unreachable = -1;

  std::int64_t& at(std::size_t task, std::size_t given) {
    return best_[task * (extras_ + 1) + given];
  }

  // The maximum worth of the edges from here on, including the edge before `task`.
  std::int64_t value(std::size_t task, std::size_t given) {
    const std::size_t edge = task * small_ + given;
    if (task == tasks_) return given == extras_ ? 0 : unreachable;
    if (given > task) return unreachable;
    const std::int64_t without = at(task + 1, given);
    const std::int64_t with = given < extras_ ? at(task + 1, given + 1) : unreachable;
    const std::int64_t rest = std::max(without, with);
    if (rest == unreachable) return unreachable;
    return rest + (edge == 0 ? 0 : worth_of_edge(slots_, edge));
  }

  const CoreSlots& slots_;
  std::size_t tasks_;
  std::size_t small_;
  std::size_t extras_;
  std::vector<std::int64_t> best_;
};

}  // namespace

std::vector<CoreSlots> split_evenly(const CoreSlots& slots, std::size_t tasks) {
  std::vector<CoreSlots> shares;
  auto from = slots.begin();
  for (const std::size_t size : EdgeSearch(slots, tasks).sizes()) {
    const auto to = from + static_cast<std::ptrdiff_t>(size);
    shares.emplace_back(from, to);
    from = to;
  }
  return shares;
}

}  // namespace muster::binding::cores
