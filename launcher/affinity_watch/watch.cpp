#include "launcher/affinity_watch/watch.hpp"

#include "launcher/affinity_watch/processes.hpp"
#include "launcher/channel/questions.hpp"

#include <utility>

#include <unistd.h>

namespace muster::affinity_watch {
namespace {

// Less than the time that a task's end may wait for the agent.
constexpr std::chrono::seconds notice_timeout{1};

}  // namespace

AffinityWatch::AffinityWatch(AffinityChanges changes, std::string step, channel::Client supervisor)
    : changes_(std::move(changes)),
      step_(std::move(step)),
      supervisor_(std::move(supervisor)),
      next_(Clock::now() + intervals.front()) {}

std::optional<AffinityWatch::Clock::time_point> AffinityWatch::next() const {
  if (looks_ == intervals.size() || changes_.idle()) return std::nullopt;
  return next_;
}

void AffinityWatch::look() {
  for (const auto& line : changes_.new_lines(task_processes("/proc", step_, geteuid()))) {
    if (unsent_.size() + line.size() >= channel::max_notice_bytes) break;
    unsent_ += (unsent_.empty() ? "" : "\n") + line;
  }
  if (!unsent_.empty() && supervisor_.ask("notice", unsent_, Clock::now() + notice_timeout)) {
    unsent_.clear();
  }
  if (++looks_ < intervals.size()) next_ = Clock::now() + intervals.at(looks_);
}

}  // namespace muster::affinity_watch
