// The agent as the shim sees it: a process without any root id, asked once, told of task exits,
// gone when the pipe closes.
//
// It is not slurmstepd's child. proctrack/linuxproc kills every descendant of slurmstepd with the
// step, and what ended the step is the very thing that the agent is there to clean up after.
#pragma once

#include "spank/plugstack.hpp"
#include "spank/slurm_api.hpp"
#include "wire/frames.hpp"
#include "wire/messages.hpp"

#include <chrono>
#include <string>
#include <variant>

#include <sys/types.h>

namespace muster::spank {

class Agent {
 public:
  Agent() = default;
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  ~Agent() { disconnect(); }

  // Starts the program as the user. Returns why it could not; empty when it runs.
  std::string start(const Plugstack& line, const Identity& identity);

  // One question, one answer: the plan, or a refusal with the reason.
  std::variant<wire::NodePlan, wire::Refusal> ask(const wire::StepFacts& facts,
                                                  std::chrono::seconds timeout);

  // Best effort; an agent that is gone is not an error here.
  void tell(const wire::TaskExit& exit);
  void tell(const wire::TaskUnbound& task);  // also from a task's own process

  // Says that nothing more will come, and waits until the agent has tidied up. False when it is
  // gone without having said so, or not done in time.
  bool farewell(std::chrono::milliseconds deadline);

  // Asks a fresh agent for nothing but order: no plan comes back.
  void tidy(const wire::StepFacts& facts, std::chrono::milliseconds deadline);

  // Ends the conversation, and an agent that has not ended with it.
  void disconnect();

 private:
  [[nodiscard]] std::variant<wire::NodePlan, wire::Refusal> understood(const wire::Received& answer,
                                                                       std::size_t tasks) const;
  [[nodiscard]] wire::Refusal nonsense() const;
  [[nodiscard]] std::string silence(wire::PipeStatus status, std::chrono::seconds timeout) const;

  int socket_ = -1;
  pid_t pid_ = -1;
  std::string program_;
};

}  // namespace muster::spank
