#include "launcher/agent/recorders.hpp"

#include "core/contains.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <cstdint>

namespace muster::agent {
namespace {

constexpr std::uint64_t max_progress = (std::uint64_t{1} << 50) - 1;

// NCCL operations are enqueued long before the GPU starts them; for gloo, torch does not record the start.
bool is_inside(const dump::GroupProgress& group) {
  const auto begun = group.backend == "nccl" ? group.started : group.enqueued;
  return begun > group.completed;
}

}  // namespace

void add(status::Collectives& sum, const dump::Recorder& recorder) {
  std::uint64_t progress = 0;
  for (const auto& group : recorder.groups) {
    progress += group.enqueued + group.started + group.completed + 1;
  }
  ++sum.recorders;
  if (std::ranges::any_of(recorder.groups, is_inside)) ++sum.inside;
  sum.progress = static_cast<std::int64_t>((static_cast<std::uint64_t>(sum.progress) + progress) &
                                           max_progress);
}

status::Collectives Recorders::look(const std::vector<pid_t>& processes) {
  status::Collectives sum;
  std::erase_if(doors_, [&](const auto& door) { return !contains(processes, door.first); });
  for (const auto pid : processes) {
    auto found = doors_.find(pid);
    if (found == doors_.end()) {
      auto door = ranks::RecorderDoor::find(pid);
      if (!door) continue;
      found = doors_.emplace(pid, std::move(*door)).first;
    } else {
      try {
        if (const auto recorder = found->second.answer()) add(sum, *recorder);
      } catch (const Error&) {  // ignore a recorder that cannot be read
      }
    }
    found->second.ask(ranks::RecorderDoor::What::numbers);
  }
  return sum;
}

}  // namespace muster::agent
