// Frames over a local stream socket; each read and write has a deadline. The shim uses them inside
// slurmstepd, so there are no exceptions, no SIGPIPE and no unbounded sizes.
#pragma once

#include "wire/messages.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace muster::wire {

// The kernel limits a job's environment and arguments to a few MiB.
inline constexpr std::size_t max_frame_bytes = std::size_t{16} << 20;

using Deadline = std::chrono::steady_clock::time_point;

enum class PipeStatus : std::uint8_t { ok, timeout, closed, malformed, failed };

struct Received {
  PipeStatus status = PipeStatus::failed;
  Kind kind{};
  std::string payload;
};

// The bytes of one frame, for a sender that cannot wait or allocate.
std::string frame(Kind kind, const std::string& payload);

// Sends one frame on a socket; `closed` if the peer is gone.
PipeStatus send_frame(int socket, Kind kind, const std::string& payload, Deadline deadline);

// Waits for one frame of at most max_frame_bytes.
Received receive_frame(int socket, Deadline deadline);

}  // namespace muster::wire
