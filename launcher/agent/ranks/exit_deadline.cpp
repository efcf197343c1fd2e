#include "launcher/agent/ranks/exit_deadline.hpp"

#include <algorithm>

namespace muster::ranks {
namespace {

// Most ranks exit before the first count, so a failure usually costs no count at all.
constexpr int counts_in_timeout = 5;

}  // namespace

std::int64_t written_between(const WrittenByProcess& before, const WrittenByProcess& now) {
  std::int64_t by_calls = 0;
  std::int64_t to_storage = 0;
  for (const auto& [pid, written] : now) {
    const auto found = before.find(pid);
    const auto old = found == before.end() ? Written() : found->second;
    by_calls += std::max<std::int64_t>(written.by_calls - old.by_calls, 0);
    to_storage += std::max<std::int64_t>(written.to_storage - old.to_storage, 0);
  }
  return std::max(by_calls, to_storage);
}

ExitDeadline::ExitDeadline(Time raised, std::chrono::milliseconds timeout)
    : raised_(raised),
      timeout_(timeout),
      next_count_(raised + timeout / counts_in_timeout),
      end_by_(raised + timeout) {}

ExitDeadline::Time ExitDeadline::next() const {
  return std::min(next_count_, end_by_);
}

void ExitDeadline::count(Time now, const WrittenByProcess& counted) {
  next_count_ = now + timeout_ / counts_in_timeout;
  if (last_ && written_between(*last_, counted) < least_bytes) return;
  if (last_) end_by_ = std::min(now + timeout_, raised_ + longest);
  last_ = counted;
}

}  // namespace muster::ranks
