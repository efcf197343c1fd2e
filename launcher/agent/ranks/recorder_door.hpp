// The way to query a rank's flight recorder: muster's Python package waits at a pipe of the process, and
// answers into a memory file. Needs no permission to trace, no address, and stops nothing.
#pragma once

#include "core/dump/recorder.hpp"
#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace muster::ranks {

class RecorderDoor {
 public:
  // No value if the process does not answer: it has no torch, a torch without a recorder, or no muster
  // package.
  static std::optional<RecorderDoor> find(pid_t pid);

  enum class What : std::uint8_t {
    all,
    numbers
  };  // numbers: without the collectives' names, which cost more

  // Never waits.
  void ask(What what = What::all);
  // The answer to the last ask(), once it is complete. Throws Error if it is malformed.
  [[nodiscard]] std::optional<dump::Recorder> answer() const;

 private:
  RecorderDoor(os::Descriptor pipe, os::Descriptor file, pid_t pid)
      : pipe_(std::move(pipe)), file_(std::move(file)), pid_(pid) {}

  os::Descriptor pipe_;
  os::Descriptor file_;
  pid_t pid_;
  unsigned asked_ = 0;
  std::string word_ = {};  // identifies this query
};

// Whether a process has loaded torch, whether or not it can be queried.
bool has_torch(pid_t pid);

}  // namespace muster::ranks
