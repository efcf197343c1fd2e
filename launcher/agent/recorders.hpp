// The progress of the ranks' collectives, according to torch's flight recorders. Each call requests an
// answer that the next call reads, so the agent never waits for a program to answer.
#pragma once

#include "core/status/status.hpp"
#include "launcher/agent/ranks/recorder_door.hpp"

#include <map>
#include <vector>

#include <sys/types.h>

namespace muster::agent {

class Recorders {
 public:
  // Returns what the recorders of these processes have answered since the last call. Leaves out a process
  // that has not answered because it holds Python's lock or is stopped.
  status::Collectives look(const std::vector<pid_t>& processes);

 private:
  std::map<pid_t, ranks::RecorderDoor> doors_;
};

// Adds what one recorder says. Pure.
void add(status::Collectives& sum, const dump::Recorder& recorder);

}  // namespace muster::agent
