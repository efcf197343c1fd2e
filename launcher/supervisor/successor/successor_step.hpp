// The supervisor's end: a step of one task on another node, beside whatever runs there, in which the
// successor waits. Nothing here waits long, and a failure costs the successor only.
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
  std::string program;  // muster, on every node
  std::string node;
  restart::Generation generation = 1;  // that the successor would be
};

// srun's words. Pure.
std::vector<std::string> step_words(const StepOrder& order);

class SuccessorStep {
 public:
  using Clock = std::chrono::steady_clock;

  // Of Slurm's and muster's variables in `environment` the step gets none.
  SuccessorStep(const StepOrder& order, const Environment& environment);
  SuccessorStep(const SuccessorStep&) = delete;
  SuccessorStep& operator=(const SuccessorStep&) = delete;
  ~SuccessorStep();  // ends it

  void send(const std::string& message);

  // Reads what has come.
  void listen();

  // The last answer; when srun was started, before the first.
  [[nodiscard]] Clock::time_point last_word() const { return last_word_; }
  [[nodiscard]] bool has_answered() const { return has_answered_; }
  [[nodiscard]] bool runs();

  // srun's own, of its end; mostly empty.
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
