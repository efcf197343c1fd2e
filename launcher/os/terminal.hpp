// The controlling terminal, and which process group is in its foreground.
//
// srun runs in a process group of its own. What the user types (Ctrl-C, Ctrl-Z) reaches it once and
// directly, and signals sent to the supervisor reach it once, through the supervisor.
#pragma once

#include <sys/types.h>

namespace muster::os {

class Terminal {
 public:
  Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  // True if the terminal belongs to this process's group.
  [[nodiscard]] bool is_ours() const;

  // Whether this process has a controlling terminal.
  [[nodiscard]] bool exists() const { return fd_ >= 0; }

  // Hands the terminal to a process group, if there is a terminal. SIGTTOU must be blocked.
  void give_to(pid_t group) const;

 private:
  int fd_;
};

}  // namespace muster::os
