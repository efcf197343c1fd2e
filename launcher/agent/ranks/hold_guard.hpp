// A child of the agent that stands in for it where somebody stops the agent alone, while its ranks run:
//
//   - it makes the ranks stand still when the time is over for which they may run, and the agent has not
//     given them more. What it has stopped, the agent learns from the memory that they share.
//   - it kills the ranks if the agent ends while they stand still: nobody would let them go on.
//
// It has the agent's memory of the ranks as that was when it was forked. If the agent ends while the ranks
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

  // `until`: the ranks may run. `held`: they stand still by the agent's doing. `afterwards`: done in the
  // child when it has killed them.
  HoldGuard(const Ranks& ranks, Time until, bool held, const std::function<void()>& afterwards);
  HoldGuard(const HoldGuard&) = delete;
  HoldGuard& operator=(const HoldGuard&) = delete;
  ~HoldGuard();  // it has ended; the ranks stay as they are

  // Until then it leaves the ranks alone. To be called before has_stopped(): one of the two processes sees
  // what the other has written.
  void rest_until(Time until);

  // Whether they stand still by the agent's doing.
  void set_held(bool held);

  // It has begun to stop ranks by itself.
  [[nodiscard]] bool has_stopped() const;

  // Somebody else may have killed it.
  [[nodiscard]] bool runs();

  // Ends it. What it has stopped, and what it was about to.
  std::vector<Standstill::Key> end();

 private:
  GuardsMemory* memory_ = nullptr;
  os::Descriptor alive_;  // it reads the end of this
  pid_t child_ = -1;
};

}  // namespace muster::ranks
