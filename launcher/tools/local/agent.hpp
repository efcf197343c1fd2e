// The agent as a child of the process that starts the ranks: the code of muster-agent in its own process.
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

  // Throws Error with the agent's own reason, which is empty if it has already been shown.
  wire::NodePlan plan(const wire::StepFacts& facts);

  void tell(const wire::TasksStarted& tasks) const;
  void tell(const wire::TaskUnbound& task) const;  // may also be called in a rank's own process
  // False if the agent is gone.
  [[nodiscard]] bool tell(const wire::TaskExit& exit) const;

  // After the last rank's end: waits until the agent has reported everything and cleaned up, for at most a
  // few seconds.
  void end();

  // The agent is gone: the code that waits for children has seen its end.
  void has_ended() { pid_ = -1; }

 private:
  [[nodiscard]] bool send(wire::Kind kind, const std::string& payload) const;

  os::Descriptor socket_;
  pid_t pid_ = -1;
};

}  // namespace muster::local
