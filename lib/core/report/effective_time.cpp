#include "core/report/effective_time.hpp"

#include "core/report/moments.hpp"
#include "core/text/amounts.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace muster::report {
namespace {

using std::chrono::nanoseconds;

// Times come from other nodes. They are limited to 73 years so that no sum overflows.
nanoseconds bounded(const Moment& moment) {
  constexpr nanoseconds limit{std::int64_t{1} << 61};
  return std::clamp(moment.time, -limit, limit);
}

// Adds up the time between successive moments.
class Stopwatch {
 public:
  explicit Stopwatch(nanoseconds begin) : now_(begin) {}

  // A moment before the current one adds nothing, and one after `end` counts as `end`.
  void pass(nanoseconds& part, const Moment& moment, nanoseconds end) {
    const auto next = std::clamp(bounded(moment), now_, std::max(end, now_));
    part += next - now_;
    now_ = next;
  }

 private:
  nanoseconds now_;
};

// When the first rank stopped running.
Moment end_of_run(const Times& times) {
  if (times.failure) return *times.failure;
  if (times.ending) return *times.ending;
  return times.last_end.value_or(times.over);
}

void add(EffectiveTime& time, Stopwatch& watch, const Times& times, nanoseconds end) {
  const Moment ceased = end_of_run(times);
  watch.pass(time.start, times.all_started.value_or(ceased), end);
  nanoseconds ran{0};
  watch.pass(ran, ceased, end);
  // If ranks were stopped while the supervisor was suspended, it is unknown for how long.
  time.all_ran += ran - std::clamp(times.asleep, nanoseconds{0}, ran);
  if (times.failure) watch.pass(time.detection, times.ending.value_or(*times.failure), end);
  watch.pass(time.stop, times.over, end);
}

}  // namespace

EffectiveTime effective_time(std::span<const AttemptSummary> attempts) {
  EffectiveTime time;
  if (attempts.empty()) return time;
  Stopwatch watch(bounded(attempts.front().times.launched));
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const Times& times = attempts[i].times;
    if (i > 0) watch.pass(time.pauses, times.launched, bounded(times.launched));
    const bool is_last = i + 1 == attempts.size();
    add(time, watch, times, bounded(is_last ? times.over : attempts[i + 1].times.launched));
  }
  time.wall = time.all_ran + time.start + time.detection + time.stop + time.pauses;
  return time;
}

double effective_share(const EffectiveTime& time) {
  if (time.wall <= nanoseconds(0)) return 0;
  return static_cast<double>(time.all_ran.count()) / static_cast<double>(time.wall.count());
}

std::string effective_text(std::span<const AttemptSummary> attempts) {
  const auto time = effective_time(attempts);
  return fmt::format("all ranks ran {:.1f} % of {}; start {}, detection {}, stop {}, pauses {}",
                     effective_share(time) * 100, text::duration(time.wall),
                     text::duration(time.start), text::duration(time.detection),
                     text::duration(time.stop), text::duration(time.pauses));
}

}  // namespace muster::report
