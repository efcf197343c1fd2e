// Several tasks on one core: each gets its own hardware threads.
#include "core/binding/cores/split.hpp"

#include <algorithm>

namespace muster::binding::cores {
namespace {

// Each task in turn goes to the core with the fewest tasks that has a thread left. Thus no core is crowded
// while another has room, and no task spans two cores.
std::vector<std::size_t> tasks_per_core(const CoreSlots& slots, std::size_t tasks) {
  std::vector<std::size_t> seated(slots.size(), 0);
  std::vector<std::size_t> room;
  for (const auto& slot : slots) room.push_back(slot.pus.count());
  for (std::size_t task = 0; task < tasks; ++task) {
    std::size_t best = slots.size();
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (seated[i] < room[i] && (best == slots.size() || seated[i] < seated[best])) best = i;
    ++seated[best];
  }
  return seated;
}

}  // namespace

std::vector<CoreSlots> split_cores(const CoreSlots& slots, std::size_t tasks) {
  std::vector<CoreSlots> shares;
  const auto seated = tasks_per_core(slots, tasks);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    for (const CoreSlots& threads : split_evenly(single_pus({slots[i]}), seated[i])) {
      CoreSlot share = slots[i];
      share.pus = {};
      for (const CoreSlot& thread : threads) share.pus |= thread.pus;
      shares.push_back({std::move(share)});
    }
  }
  return shares;
}

}  // namespace muster::binding::cores
