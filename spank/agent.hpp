// The agent as the shim sees it: a child process without any root id, asked once, told of
// task exits, gone with its step.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <variant>

#include "core/wire/messages.hpp"
#include "core/wire/pipe.hpp"
#include "plugstack.hpp"
#include "slurm_api.hpp"

namespace muster::spank {

class Agent {
 public:
  Agent() = default;
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  ~Agent() { finish(std::chrono::milliseconds{0}); }

  /// Starts the program as the user. Returns why it could not; empty when it runs.
  std::string start(const Plugstack& line, const Identity& identity);

  /// One question, one answer: the plan, or a refusal with the reason.
  std::variant<wire::NodePlan, wire::Refusal> ask(const wire::StepFacts& facts,
                                                  std::chrono::seconds timeout);

  /// Best effort; an agent that is gone is not an error here.
  void tell(const wire::TaskExit& exit);

  /// Waits until the agent has ended by itself.
  void wait_until_gone(std::chrono::milliseconds deadline);

  /// Closes the pipe, gives the agent time to end, then kills it.
  void finish(std::chrono::milliseconds deadline);

 private:
  [[nodiscard]] std::string silence(wire::PipeStatus status, std::chrono::seconds timeout);

  int socket_ = -1;
  pid_t child_ = -1;
  std::string program_;
};

}  // namespace muster::spank
