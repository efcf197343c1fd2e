// Word from srun's shim that the step exists. An srun that waits for nodes, or that never gets any, has
// no step, whatever becomes of it.
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
  std::vector<std::string> nodes;  // by node index; empty where Slurm did not tell them

  friend bool operator==(const CreatedStep&, const CreatedStep&) = default;
};

// Nothing for a text that no shim sends. Pure.
std::optional<CreatedStep> created_step(std::string_view text);

class StepSocket {
 public:
  StepSocket();  // where there is no descriptor, no word will come

  // Just before srun is started, which inherits its end; and when it has been.
  void hand_on() const;
  void handed_on();

  // What srun has said so far.
  [[nodiscard]] std::optional<CreatedStep> read() const;

 private:
  os::Descriptor own_;
  os::Descriptor sruns_;
};

}  // namespace muster::supervision
