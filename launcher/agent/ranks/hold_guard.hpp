// A child of the agent that replaces it if somebody stops the agent alone while its ranks run:
//
//   - it stops the ranks when the time for which they may run is over and the agent has not extended it. The
//     agent learns from shared memory what the guard has stopped.
//   - it kills the ranks if the agent ends while they are stopped: nobody would resume them.
//
// It knows of the ranks what the agent knew when it forked the guard. If the agent ends while the ranks
// run, it ends as well and leaves them alone.
#pragma once

#include "launcher/agent/ranks/ranks.hpp"
#include "launcher/agent/ranks/standstill.hpp"
#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <functional>
#include <vector>

#include <sys/types.h>

namespace muster::ranks {

// What both processes see.
struct GuardsMemory;

class HoldGuard {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The ranks may run until `until`. `held`: the agent has stopped them. The child calls `afterwards` when it
  // has killed them.
  HoldGuard(const Ranks& ranks, Time until, bool held, const std::function<void()>& afterwards);
  HoldGuard(const HoldGuard&) = delete;
  HoldGuard& operator=(const HoldGuard&) = delete;
  ~HoldGuard();  // ends the guard; the ranks stay as they are

  // Until then the guard leaves the ranks alone. Call it before has_stopped(): then one of the two processes
  // sees what the other has written.
  void rest_until(Time until);

  // Whether the agent has stopped the ranks.
  void set_held(bool held);

  // Whether it has begun to stop ranks by itself.
  [[nodiscard]] bool has_stopped() const;

  // Somebody else may have killed it.
  [[nodiscard]] bool runs();

  // Ends it. Returns what it has stopped, and what it was about to stop.
  std::vector<Standstill::Key> end();

 private:
  GuardsMemory* memory_ = nullptr;
  os::Descriptor alive_;  // it reads the end of this
  pid_t child_ = -1;
};

}  // namespace muster::ranks
