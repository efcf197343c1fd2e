// A child of the agent that acts in its place if only the agent is suspended while its ranks run:
//
//   - It suspends the ranks when the time for which they may run is over and the agent has not extended it.
//     The agent learns from shared memory what the guard has suspended.
//   - It kills the ranks if the agent ends while they are suspended, because nothing would resume them.
//
// It knows about the ranks what the agent knew when it forked the guard. If the agent ends while the ranks
// are running, the guard also exits and leaves them alone.
#pragma once

#include "launcher/agent/ranks/ranks.hpp"
#include "launcher/agent/ranks/standstill.hpp"
#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <functional>
#include <vector>

#include <sys/types.h>

namespace muster::ranks {

// The memory that both processes share.
struct GuardsMemory;

class HoldGuard {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The ranks may run until `until`. `held`: the agent has suspended them. The child calls `afterwards` after
  // it has killed them.
  HoldGuard(const Ranks& ranks, Time until, bool held, const std::function<void()>& afterwards);
  HoldGuard(const HoldGuard&) = delete;
  HoldGuard& operator=(const HoldGuard&) = delete;
  ~HoldGuard();  // ends the guard; the ranks remain as they are

  // The guard leaves the ranks alone until then. Call this before has_stopped(), so that one of the two
  // processes always sees what the other one has written.
  void rest_until(Time until);

  // Sets whether the agent has suspended the ranks.
  void set_held(bool held);

  // Whether the guard has begun to suspend ranks by itself.
  [[nodiscard]] bool has_stopped() const;

  // The processes that it has suspended or was about to suspend.
  [[nodiscard]] std::vector<Standstill::Key> stopped() const;

  // False if something else has killed it.
  [[nodiscard]] bool runs();

  // Ends it. Returns stopped().
  std::vector<Standstill::Key> end();

 private:
  GuardsMemory* memory_ = nullptr;
  os::Descriptor alive_;  // the guard reads the other end of this pipe
  pid_t child_ = -1;
};

}  // namespace muster::ranks
