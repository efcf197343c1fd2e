// What srun makes of Ctrl-C. Pure.
#pragma once

#include "core/environment.hpp"
#include "core/srun/command.hpp"

#include <chrono>
#include <optional>

namespace muster::srun {

class CtrlC {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // first_ends: see first_ctrl_c_ends().
  explicit CtrlC(bool first_ends) : first_ends_(first_ends) {}

  // Whether this one, typed then, ends the step. The first one usually shows the state of the tasks, and
  // another one within a second ends them.
  bool ends_step(Time typed);

 private:
  bool first_ends_;
  std::optional<Time> last_;
};

// Whether the user asked for it, by --quit-on-interrupt, or by --disable-status, which hands the first one to
// the tasks.
bool first_ctrl_c_ends(const Environment& environment, const Command& command);

}  // namespace muster::srun
