// srun's standard input over several attempts. Each attempt reads it from where the first one started.
//
// The supervisor rewinds a regular file. It cannot rewind a pipe or a socket, so it copies their bytes to
// srun, and keeps them for the next attempt. A terminal is left alone.
#pragma once

#include "core/environment.hpp"
#include "core/srun/command.hpp"
#include "launcher/os/descriptor.hpp"

#include <cstddef>
#include <string>
#include <thread>

#include <sys/types.h>

namespace muster::attempts {

inline constexpr std::size_t max_kept_input = std::size_t{16} << 20;  // bytes

// Whether srun reads its own standard input: not with --input=FILE or =none. Pure.
bool reads_input(const srun::Command& command, const Environment& environment);

class StandardInput {
 public:
  // `again`: srun reads its standard input, and may be started more than once. Otherwise this object does
  // nothing.
  explicit StandardInput(bool again);
  ~StandardInput();
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

  // Call it before an srun is forked: that srun will read everything from the beginning.
  void prepare();
  // Call it after srun has been forked: threads may be created from now on.
  void start();
  // Call it after srun has ended. Joins the thread.
  void finish();

  // Call it after finish(), before another program replaces this one: that program finds the input as the
  // first attempt did. False if that is impossible, because a pipe has been read, but not to its end.
  [[nodiscard]] bool leave_to_next_program() const;

  // Whether an srun whose ranks never started has taken nothing from it: it is a terminal, /dev/null or
  // closed, or this object keeps it for the next srun.
  [[nodiscard]] bool is_untouched() const;

  // Why another attempt could not read the same input again; empty if it could.
  [[nodiscard]] std::string loss() const;

 private:
  void pass_on();
  bool take();
  bool give();

  off_t start_ = -1;        // the start position in a regular file
  os::Descriptor source_;   // for input that can be read only once
  os::Descriptor to_srun_;  // a pipe's other end
  os::Descriptor stop_;     // readable once srun has ended
  std::string kept_;        // everything read so far
  std::size_t given_ = 0;   // how much of it this srun has received
  bool ended_ = false;      // the source has ended
  bool lost_ = false;       // there was too much to keep
  std::thread thread_;
};

}  // namespace muster::attempts
