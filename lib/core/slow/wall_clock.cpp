#include "core/slow/wall_clock.hpp"

namespace muster::slow {
namespace {

using std::chrono::nanoseconds;
using namespace std::chrono_literals;

// NTP speeds a clock up or down by at most 500 ppm, PTP's daemons by less; anything faster has been set.
constexpr nanoseconds always_a_step = 10ms;
constexpr long slewing_per_million = 1000;
constexpr nanoseconds reading_error = 200us;  // between the readings of the two clocks

bool is_slewing(nanoseconds change, nanoseconds time) {
  const auto most = reading_error + time * slewing_per_million / 1'000'000;
  return std::chrono::abs(change) <= std::min(most, nanoseconds(always_a_step));
}

}  // namespace

bool WallClock::read(Time wall, Time monotonic) {
  const Reading now{.wall = wall, .ahead = wall - monotonic};
  const bool set = latest_ && !is_slewing(now.ahead - latest_->ahead,
                                          monotonic - (latest_->wall - latest_->ahead));
  earlier_ = set ? std::nullopt : latest_;
  latest_ = now;
  return set;
}

// Between two readings the clock is taken to have run evenly.
std::optional<WallClock::Time> WallClock::monotonic(Time wall) const {
  if (!latest_ || wall > latest_->wall) return std::nullopt;
  if (!earlier_) return std::nullopt;
  if (wall <= earlier_->wall) return wall - earlier_->ahead;
  const std::chrono::duration<double> whole = latest_->wall - earlier_->wall;
  const std::chrono::duration<double> part = wall - earlier_->wall;
  const auto change = latest_->ahead - earlier_->ahead;
  const auto share = whole.count() > 0 ? part / whole : 0.0;
  return wall - earlier_->ahead -
         nanoseconds(static_cast<nanoseconds::rep>(share * static_cast<double>(change.count())));
}

}  // namespace muster::slow
