#include "launcher/channel/watch/clock_offset.hpp"

#include <algorithm>

namespace muster::watch {
namespace {

using Duration = ClockOffset::Duration;

constexpr std::size_t max_samples = 16;
constexpr Duration::rep drift = 10'000;  // one part in this many: two crystals of 50 ppm each

Duration error_at(Duration error, Duration taken, Duration moment) {
  return error + std::chrono::abs(moment - taken) / drift;
}

}  // namespace

void ClockOffset::add(Duration sent, Duration received, Duration theirs) {
  if (received < sent) return;
  const auto way = (received - sent) / 2;
  samples_.push_back({received, {theirs - (sent + way), way + Duration(1)}});
  if (samples_.size() > max_samples) samples_.pop_front();
}

std::optional<ClockOffset::Estimate> ClockOffset::at(Duration ours) const {
  std::optional<Estimate> best;
  for (const auto& [taken, estimate] : samples_) {
    const auto error = error_at(estimate.error, taken, ours);
    if (!best || error < best->error) best = Estimate{estimate.offset, error};
  }
  return best;
}

}  // namespace muster::watch
