// Ctrl-C reaches only the process group in the terminal's foreground. If that is another program's, a child
// of this process in that group tells it.
#pragma once

#include "launcher/os/background_child.hpp"

#include <cstddef>
#include <optional>

#include <sys/signalfd.h>
#include <sys/types.h>

namespace muster::os {

class Interrupts {
 public:
  // Forks. The group is one of this process's session. If the fork fails, nothing is told.
  explicit Interrupts(pid_t group);

  // Whether this signal to this process tells of a SIGINT to the group.
  [[nodiscard]] bool told_by(const signalfd_siginfo& signal) const;

  // When the group has ended: how many more it had been sent, of which no signal has been taken. SIGRTMIN is
  // blocked. Waits briefly for the child, which ends.
  std::size_t finish();

 private:
  std::optional<BackgroundChild> child_;
  pid_t id_ = -1;
};

}  // namespace muster::os
