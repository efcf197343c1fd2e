// The supervisor of one group, in a process of its own.
#pragma once

#include "launcher/os/descriptor.hpp"

#include <csignal>
#include <cstdint>
#include <functional>
#include <string>

#include <sys/types.h>

namespace muster::groups {

class GroupProcess {
 public:
  // Hands the report on, in JSON.
  using Report = std::function<void(const std::string& json)>;
  // Returns the exit code.
  using Work = std::function<int(const Report&)>;

  // Forks. The child has no terminal and no standard input, starts with the signal mask `mask`, and gets
  // SIGTERM if this process ends. What it tells the user begins with `name`. Throws an Error of one line if
  // it cannot be started.
  GroupProcess(const std::string& name, const sigset_t& mask, const Work& work);

  [[nodiscard]] pid_t id() const { return id_; }
  void send(int signal) const;

  // After its end: empty if nothing ever failed.
  [[nodiscard]] std::string report() const;

 private:
  pid_t id_ = -1;
  os::Descriptor report_;
};

}  // namespace muster::groups
