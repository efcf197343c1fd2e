#include "launcher/agent/slurmstepd_pipe.hpp"

#include <poll.h>
#include <sys/socket.h>

namespace muster::agent {

pid_t peer_of(int pipe) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(pipe, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

bool is_gone(int pipe) {
  pollfd end{pipe, 0, 0};
  return poll(&end, 1, 0) > 0 && (end.revents & POLLHUP) != 0;
}

}  // namespace muster::agent
