// The agent as the shim sees it: a process without root IDs. It receives one request, then reports of task
// exits, and it exits when the pipe closes.
//
// The agent is not a child of slurmstepd: proctrack/linuxproc kills every descendant of slurmstepd with the
// step, but the agent must clean up after whatever ended the step.
#pragma once

#include "spank/first_root.hpp"
#include "spank/plugstack.hpp"
#include "spank/slurm_api.hpp"
#include "spank/step_limits.hpp"
#include "wire/frames.hpp"
#include "wire/messages.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <sys/types.h>

namespace muster::spank {

// How long slurmstepd waits for its agent in total once there is a plan, whatever the agent does and
// however many tasks there are: half of UnkillableStepTimeout (60 s), after which Slurm drains the node.
inline constexpr std::chrono::milliseconds agent_budget{30'000};

class Agent {
 public:
  Agent() = default;
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  ~Agent() { disconnect(); }

  // Starts the program as the user, within the step's limits, in the given root directory or, if there is
  // none, in this process's own. Returns the reason if it could not; empty if it is running.
  std::string start(const Plugstack& line, const Identity& identity,
                    const std::vector<StepLimit>& limits, const FirstRoot* root);

  // One request, one answer: the plan, or a refusal with its reason.
  std::variant<wire::NodePlan, wire::Refusal> ask(const wire::StepFacts& facts,
                                                  std::chrono::seconds timeout);

  // A request that needs no answer: the agent acts on it and exits.
  void order(const wire::StepFacts& facts);

  // Best effort: an agent that is gone is not an error here. Returns false if it is gone. From here on, all
  // waiting for this agent and its replacement counts towards agent_budget.
  bool tell(const wire::TaskExit& exit);
  void tell(const wire::TasksStarted& tasks);
  void tell(const wire::TaskUnbound& task);  // may also be called in a task's own process

  // Announces the end, and waits until the agent has cleaned up or exited; waits longer if the agent reports
  // that it is busy.
  void shut_down(std::chrono::milliseconds at_most);

  // Closes the pipe, and kills an agent that does not exit because of that.
  void disconnect();

 private:
  [[nodiscard]] std::variant<wire::NodePlan, wire::Refusal> understood(const wire::Received& answer,
                                                                       std::size_t tasks) const;
  [[nodiscard]] wire::Refusal nonsense() const;
  wire::PipeStatus send(wire::Kind kind, const std::string& payload);

  template <typename Wait>
  auto wait(std::chrono::milliseconds at_most, Wait&& until);
  [[nodiscard]] std::string silence(wire::PipeStatus status, std::chrono::seconds timeout) const;

  int socket_ = -1;
  pid_t pid_ = -1;  // may belong to another process by now
  Identity identity_;
  std::optional<std::string> program_;               // set by start()
  std::chrono::milliseconds budget_ = agent_budget;  // what remains of the budget
};

}  // namespace muster::spank
