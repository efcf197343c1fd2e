#include "launcher/agent/task_watch/affinity_watch.hpp"

#include "launcher/agent/task_watch/processes.hpp"
#include "launcher/channel/questions.hpp"

#include <utility>

#include <unistd.h>

namespace muster::task_watch {

AffinityWatch::AffinityWatch(AffinityChanges changes, std::string step, channel::Client supervisor)
    : changes_(std::move(changes)), step_(std::move(step)), supervisor_(std::move(supervisor)) {
  times_.start();
}

std::optional<AffinityWatch::Clock::time_point> AffinityWatch::next() const {
  return changes_.idle() ? std::nullopt : times_.next();
}

void AffinityWatch::look() {
  for (const auto& line : changes_.new_lines(task_processes("/proc", step_, geteuid()))) {
    if (unsent_.size() + line.size() >= channel::max_notice_bytes) break;
    unsent_ += (unsent_.empty() ? "" : "\n") + line;
  }
  if (!unsent_.empty() && supervisor_.ask("notice", unsent_, Clock::now() + notice_timeout)) {
    unsent_.clear();
  }
  times_.looked();
}

}  // namespace muster::task_watch
