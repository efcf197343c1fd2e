#include "launcher/agent/ranks/ending.hpp"

#include <algorithm>
#include <array>

namespace muster::ranks {
namespace {

using std::chrono::milliseconds;

// From one SIGKILL to the next. Together less than kill_timeout.
constexpr std::array kill_intervals{milliseconds{20}, milliseconds{80}, milliseconds{300},
                                    milliseconds{1000}};

}  // namespace

void Ending::begin(Time now, milliseconds grace) {
  if (!begun()) terminate_at_ = now;
  kill_at_ = terminate_at_ + grace;
}

std::optional<Ending::Time> Ending::next() const {
  if (!begun() || given_up_) return std::nullopt;
  if (!ask_at_) return terminate_at_;
  if (kills_ == 0) return std::min(*ask_at_, *kill_at_);
  return next_kill_;
}

std::optional<Ending::Act> Ending::due(Time now) {
  const auto time = next();
  if (!time || now < *time) return std::nullopt;
  if (!ask_at_ || (kills_ == 0 && now < *kill_at_)) {
    ask_at_ = now + ask_interval;
    return Act::terminate;
  }
  if (kills_ > kill_intervals.size()) {
    given_up_ = true;
    return Act::give_up;
  }
  if (kills_ == 0) kill_at_ = now;
  next_kill_ =
      kills_ < kill_intervals.size() ? now + kill_intervals.at(kills_) : *kill_at_ + kill_timeout;
  ++kills_;
  return Act::kill;
}

}  // namespace muster::ranks
