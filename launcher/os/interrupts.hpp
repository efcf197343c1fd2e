// Ctrl-C reaches only the process group in the terminal's foreground. If that is another program's, a child
// of this process in that group tells it.
#pragma once

#include "launcher/os/background_child.hpp"

#include <sys/signalfd.h>
#include <sys/types.h>

namespace muster::os {

class Interrupts {
 public:
  // Forks, with the signals blocked that this thread blocks. The group is one of this process's session. If
  // the fork fails, nothing is told.
  explicit Interrupts(pid_t group);

  // Whether this signal to this process tells of a SIGINT to the group.
  [[nodiscard]] bool told_by(const signalfd_siginfo& signal) const;

 private:
  BackgroundChild child_;
};

}  // namespace muster::os
