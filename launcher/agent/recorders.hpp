// How far the ranks' collectives are, by torch's flight recorders. Each is asked at one look and read at
// the next, so that nobody waits for a program's answer.
#pragma once

#include "core/status/status.hpp"
#include "launcher/agent/ranks/recorder_door.hpp"

#include <map>
#include <vector>

#include <sys/types.h>

namespace muster::agent {

class Recorders {
 public:
  // Of those of the processes that have a recorder: what they have answered since the last look. One that
  // has not, as it holds Python's lock or is stopped, is left out.
  status::Collectives look(const std::vector<pid_t>& processes);

 private:
  std::map<pid_t, ranks::RecorderDoor> doors_;
};

// Adds what one of them says. Pure.
void add(status::Collectives& sum, const dump::Recorder& recorder);

}  // namespace muster::agent
