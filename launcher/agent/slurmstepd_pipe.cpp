#include "launcher/agent/slurmstepd_pipe.hpp"

#include <chrono>

#include <poll.h>
#include <sys/socket.h>

namespace muster::agent {
namespace {

// For the rest of a message that has started to arrive.
constexpr std::chrono::seconds message_timeout{10};
constexpr int max_at_once = 64;  // after that, everything else gets its turn

bool is_readable(int pipe) {
  pollfd end{pipe, POLLIN, 0};
  return poll(&end, 1, 0) > 0;
}

}  // namespace

pid_t peer_of(int pipe) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(pipe, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

bool take_waiting(int pipe, const std::function<void(const wire::Received&)>& take) {
  for (int taken = 0; taken == 0 || (taken < max_at_once && is_readable(pipe)); ++taken) {
    const auto frame =
        wire::receive_frame(pipe, std::chrono::steady_clock::now() + message_timeout);
    if (frame.status == wire::PipeStatus::timeout) return true;
    if (frame.status != wire::PipeStatus::ok) return false;
    take(frame);
  }
  return true;
}

bool is_gone(int pipe) {
  pollfd end{pipe, 0, 0};
  return poll(&end, 1, 0) > 0 && (end.revents & POLLHUP) != 0;
}

}  // namespace muster::agent
