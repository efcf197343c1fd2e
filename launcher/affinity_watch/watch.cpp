#include "launcher/affinity_watch/watch.hpp"

#include "launcher/affinity_watch/processes.hpp"
#include "launcher/channel/questions.hpp"

#include <utility>

#include <unistd.h>

namespace muster::agent {
namespace {

// Less than a task's end may wait for the agent.
constexpr std::chrono::seconds telling_time{1};

}  // namespace

RebindingWatch::RebindingWatch(Rebinding rebinding, std::string step, channel::Client supervisor)
    : rebinding_(std::move(rebinding)),
      step_(std::move(step)),
      supervisor_(std::move(supervisor)),
      next_(Clock::now() + intervals.front()) {}

std::optional<RebindingWatch::Clock::time_point> RebindingWatch::next() const {
  if (looks_ == intervals.size() || rebinding_.idle()) return std::nullopt;
  return next_;
}

void RebindingWatch::look() {
  for (const auto& line : rebinding_.changes(task_processes("/proc", step_, geteuid()))) {
    if (untold_.size() + line.size() >= channel::max_notice_bytes) break;
    untold_ += (untold_.empty() ? "" : "\n") + line;
  }
  if (!untold_.empty() && supervisor_.ask("notice", untold_, Clock::now() + telling_time)) {
    untold_.clear();
  }
  if (++looks_ < intervals.size()) next_ = Clock::now() + intervals.at(looks_);
}

}  // namespace muster::agent
