#include "launcher/channel/view/writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

namespace muster::view {
namespace {

constexpr std::size_t max_at_once = 4096;  // small, so that a slow terminal shows progress
// For a descriptor that something else has made non-blocking.
constexpr int poll_milliseconds = 100;

std::size_t index_of(Stream stream) {
  return stream == Stream::out ? 0 : 1;
}

}  // namespace

void Writer::write(const ScreenText& piece) {
  std::string_view bytes = piece.bytes;
  while (!bytes.empty() && !abandoned_ && write_some(piece.stream, bytes)) {
  }
}

bool Writer::write_some(Stream stream, std::string_view& bytes) {
  const auto index = index_of(stream);
  if (failed_.at(index)) return false;
  const int descriptor = descriptors_.at(index);
  const auto count = ::write(descriptor, bytes.data(), std::min(bytes.size(), max_at_once));
  if (count >= 0) {
    bytes.remove_prefix(static_cast<std::size_t>(count));
    written_ += static_cast<std::uint64_t>(count);
    return true;
  }
  if (errno == EINTR) return true;
  if (errno == EAGAIN) {
    pollfd writable{descriptor, POLLOUT, 0};
    poll(&writable, 1, poll_milliseconds);
    return true;
  }
  failed_.at(index) = true;
  failure_ = fmt::format("cannot write to standard {}: {}; the live view continues without it",
                         stream == Stream::out ? "output" : "error", std::strerror(errno));
  return false;
}

std::string Writer::take_failure() {
  return std::exchange(failure_, {});
}

}  // namespace muster::view
