// Tells the supervisor that the step exists: srun's shim writes to this socket. An srun that waits for nodes,
// or never gets any, has no step.
#pragma once

#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::supervision {

struct CreatedStep {
  std::chrono::steady_clock::time_point time;
  std::vector<std::string> nodes;  // indexed by node; empty if Slurm did not report them

  friend bool operator==(const CreatedStep&, const CreatedStep&) = default;
};

// No value for a text that no shim sends. Pure.
std::optional<CreatedStep> created_step(std::string_view text);

class StepSocket {
 public:
  StepSocket();  // if no descriptor can be created, read() never returns a value

  // Call the first just before srun is started, which inherits one end, and the second right afterwards.
  void hand_on() const;
  void handed_on();

  // What the shim has written so far.
  [[nodiscard]] std::optional<CreatedStep> read() const;

 private:
  os::Descriptor own_;
  os::Descriptor sruns_;
};

}  // namespace muster::supervision
