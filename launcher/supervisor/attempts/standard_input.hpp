// srun's standard input over several attempts. Each attempt reads it from where the first one began.
//
// The supervisor rewinds a regular file. It cannot rewind a pipe or a socket, so it copies their bytes to
// srun, and keeps them for the next attempt. A terminal stays as it is.
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
  // `again`: srun reads its standard input, and may be started more than once. Otherwise this does nothing.
  explicit StandardInput(bool again);
  ~StandardInput();
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

  // Before an srun is forked: it will read everything from the beginning.
  void prepare();
  // srun has been forked: threads may be created.
  void start();
  // srun has ended. Joins the thread.
  void finish();

  // Why another attempt could not read the same input again; empty if it could.
  [[nodiscard]] std::string loss() const;

 private:
  void pass_on();
  bool take();
  bool give();

  off_t start_ = -1;        // of a regular file
  os::Descriptor source_;   // of bytes that come only once
  os::Descriptor to_srun_;  // a pipe's other end
  os::Descriptor stop_;     // readable once srun has ended
  std::string kept_;        // all that has come so far
  std::size_t given_ = 0;   // of these, to this srun
  bool ended_ = false;      // the source has ended
  bool lost_ = false;       // there was too much to keep
  std::thread thread_;
};

}  // namespace muster::attempts
