// The way to query a rank's flight recorder and its Python stacks: muster's Python package waits at a pipe of
// the process, and answers into a memory file. Needs no permission to trace, no address, and stops nothing.
#pragma once

#include "core/dump/look.hpp"
#include "core/dump/recorder.hpp"
#include "core/slow/answer.hpp"
#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

  // Never waits. `again`: repeats the last query, whose answer another process's query may have replaced.
  void ask_stacks(bool again = false);
  // The answer to the last ask_stacks(), once it is complete. Throws Error if it is malformed.
  [[nodiscard]] std::optional<std::vector<dump::Thread>> stacks() const;

  // Asks when the rank has called its collectives since then: a time of the wall clock. Never waits.
  void ask_times(std::chrono::nanoseconds since);
  // Likewise the answer to the last ask_times().
  [[nodiscard]] std::optional<slow::Answer> times() const;

 private:
  RecorderDoor(os::Descriptor pipe, os::Descriptor file, pid_t pid)
      : pipe_(std::move(pipe)), file_(std::move(file)), pid_(pid) {}

  void send(const std::string& word) const;
  // A line of the file, once it is complete and if `word` has been read; empty otherwise.
  [[nodiscard]] std::string line(std::size_t index, const std::string& word,
                                 std::size_t max_bytes) const;

  os::Descriptor pipe_;
  os::Descriptor file_;
  pid_t pid_;
  unsigned asked_ = 0;
  std::string word_ = {};  // identifies this query
  std::string stacks_word_ = {};
};

// Whether a process has loaded torch, whether or not it can be queried.
bool has_torch(pid_t pid);

}  // namespace muster::ranks
