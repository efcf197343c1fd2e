// The agent as a child of the process that starts the ranks: muster-agent's code, in a process of its own.
#pragma once

#include "launcher/os/descriptor.hpp"
#include "launcher/site/site.hpp"
#include "wire/messages.hpp"

#include <chrono>
#include <optional>

#include <sys/types.h>

namespace muster::local {

class Agent {
 public:
  // Throws Error.
  explicit Agent(const site::SiteOptions& site);
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  ~Agent() { end(); }

  [[nodiscard]] pid_t pid() const { return pid_; }

  // Throws Error with the agent's own reason, which is empty where it has been shown already.
  wire::NodePlan plan(const wire::StepFacts& facts);

  void tell(const wire::TasksStarted& tasks) const;
  void tell(const wire::TaskUnbound& task) const;  // also from a rank's own process
  // False where the agent has gone.
  [[nodiscard]] bool tell(const wire::TaskExit& exit) const;

  // After the last rank's end: waits until it has said all and cleaned up, for some seconds at most.
  void end();

  // It is gone: whoever waits for children has seen its end.
  void has_ended() { pid_ = -1; }

 private:
  [[nodiscard]] bool send(wire::Kind kind, const std::string& payload) const;

  os::Descriptor socket_;
  pid_t pid_ = -1;
};

}  // namespace muster::local
