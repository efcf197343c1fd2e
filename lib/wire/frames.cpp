#include "wire/frames.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>

namespace muster::wire {
namespace {

constexpr std::uint32_t frame_magic = 0x3152'534d;  // "MSR1"

struct Header {
  std::uint32_t magic;
  std::uint32_t kind;
  std::uint32_t length;
};

int milliseconds_left(Deadline deadline) {
  using std::chrono::milliseconds;
  const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<milliseconds::rep>(left.count(), 0, INT_MAX));
}

PipeStatus wait_for(int socket, short events, Deadline deadline) {
  while (true) {
    pollfd poller{socket, events, 0};
    const int ready = poll(&poller, 1, milliseconds_left(deadline));
    if (ready > 0) return PipeStatus::ok;
    if (ready == 0) return PipeStatus::timeout;
    if (errno != EINTR) return PipeStatus::failed;
  }
}

bool again() {
  return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK;
}

PipeStatus send_all(int socket, const char* data, std::size_t size, Deadline deadline) {
  while (size > 0) {
    const auto sent = send(socket, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      data += sent;
      size -= static_cast<std::size_t>(sent);
    } else if (!again()) {
      return errno == EPIPE || errno == ECONNRESET ? PipeStatus::closed : PipeStatus::failed;
    } else if (const auto status = wait_for(socket, POLLOUT, deadline); status != PipeStatus::ok) {
      return status;
    }
  }
  return PipeStatus::ok;
}

PipeStatus receive_all(int socket, char* data, std::size_t size, Deadline deadline) {
  while (size > 0) {
    const auto got = recv(socket, data, size, MSG_DONTWAIT);
    if (got == 0) return PipeStatus::closed;
    if (got > 0) {
      data += got;
      size -= static_cast<std::size_t>(got);
    } else if (!again()) {
      return errno == ECONNRESET ? PipeStatus::closed : PipeStatus::failed;
    } else if (const auto status = wait_for(socket, POLLIN, deadline); status != PipeStatus::ok) {
      return status;
    }
  }
  return PipeStatus::ok;
}

// Allocates memory as bytes arrive, whatever length the other end has announced.
PipeStatus receive_payload(int socket, std::string& payload, std::size_t length,
                           Deadline deadline) {
  constexpr std::size_t first_bytes = 16384;
  while (payload.size() < length) {
    const auto have = payload.size();
    payload.resize(std::min(length, std::max(first_bytes, 2 * have)));
    const auto status = receive_all(socket, payload.data() + have, payload.size() - have, deadline);
    if (status != PipeStatus::ok) return status;
  }
  return PipeStatus::ok;
}

}  // namespace

std::string frame(Kind kind, const std::string& payload) {
  const Header header{frame_magic, static_cast<std::uint32_t>(kind),
                      static_cast<std::uint32_t>(payload.size())};
  std::string bytes(sizeof header, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes.append(payload);
}

PipeStatus send_frame(int socket, Kind kind, const std::string& payload, Deadline deadline) {
  if (payload.size() > max_frame_bytes) return PipeStatus::malformed;
  const auto bytes = frame(kind, payload);
  return send_all(socket, bytes.data(), bytes.size(), deadline);
}

Received receive_frame(int socket, Deadline deadline) {
  Received received;
  std::array<char, sizeof(Header)> raw{};
  received.status = receive_all(socket, raw.data(), raw.size(), deadline);
  if (received.status != PipeStatus::ok) return received;

  Header header{};
  std::memcpy(&header, raw.data(), sizeof header);
  if (header.magic != frame_magic || header.length > max_frame_bytes) {
    received.status = PipeStatus::malformed;
    return received;
  }
  received.kind = static_cast<Kind>(header.kind);
  received.status = receive_payload(socket, received.payload, header.length, deadline);
  return received;
}

}  // namespace muster::wire
