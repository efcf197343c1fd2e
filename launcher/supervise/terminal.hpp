// The controlling terminal, and which process group has it.
//
// srun runs in a process group of its own: what the user types (Ctrl-C, Ctrl-Z) reaches it once and
// directly, and what is sent to the supervisor reaches it once, by the supervisor.
#pragma once

#include <sys/types.h>

namespace muster::supervise {

class Terminal {
 public:
  Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  // True when this process's group is the one that the terminal belongs to.
  [[nodiscard]] bool is_ours() const;

  // Hands it to a process group, if there is one to hand. SIGTTOU must be blocked.
  void give_to(pid_t group) const;

 private:
  int fd_;
};

}  // namespace muster::supervise
