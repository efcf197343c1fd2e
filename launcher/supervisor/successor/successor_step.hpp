// The supervisor's side: a one-task step on another node, in which the successor waits alongside whatever
// runs there. Nothing here blocks for long, and a failure costs only the successor.
#pragma once

#include "core/environment.hpp"
#include "core/restart/succession.hpp"
#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::successor {

struct StepOrder {
  std::string srun;
  std::string job;
  std::string program;  // the path of muster, the same on every node
  std::string node;
  restart::Generation generation = 1;  // the successor's
};

// srun's command line. Pure.
std::vector<std::string> step_words(const StepOrder& order);

class SuccessorStep {
 public:
  using Clock = std::chrono::steady_clock;

  // The step gets `environment` without Slurm's and muster's variables.
  SuccessorStep(const StepOrder& order, const Environment& environment);
  SuccessorStep(const SuccessorStep&) = delete;
  SuccessorStep& operator=(const SuccessorStep&) = delete;
  ~SuccessorStep();  // ends it

  void send(const std::string& message);

  // Reads what has arrived.
  void listen();

  // When the last answer arrived; before the first answer, when srun was started.
  [[nodiscard]] Clock::time_point last_word() const { return last_word_; }
  [[nodiscard]] bool has_answered() const { return has_answered_; }
  [[nodiscard]] bool runs();

  // srun's last line, which says why it ended; usually empty.
  [[nodiscard]] const std::string& last_line() const { return last_line_; }

 private:
  void take(std::string_view line);
  void write_out();
  void await_end(Clock::time_point deadline);

  pid_t srun_ = -1;
  os::Descriptor to_;
  os::Descriptor from_;
  std::string unsent_;
  std::string unread_;
  std::string last_line_;
  Clock::time_point last_word_ = Clock::now();
  bool has_answered_ = false;
};

}  // namespace muster::successor
