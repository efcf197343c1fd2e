#include "worker/tcp/reader.hpp"

#include <algorithm>

namespace muster::worker::tcp {

std::size_t Reader::fill(std::span<std::byte> into, Deadline::Clock::time_point until) {
  while (true) {
    const auto moved = receive(socket_, into);
    if (moved.flow == Flow::some) return moved.bytes;
    if (moved.flow == Flow::ended) throw Gone("it has closed the connection");
    if (moved.flow == Flow::broken) throw Gone(error_text(moved.error));
    if (wait_for(socket_, Wish::read, until) == Ready::too_late) throw TooLate();
  }
}

void Reader::read(std::span<std::byte> into, Deadline::Clock::time_point until) {
  while (!into.empty()) {
    if (ahead_.empty() && into.size() >= buffer_.size()) {
      into = into.subspan(fill(into, until));
      continue;
    }
    if (ahead_.empty()) ahead_ = View{buffer_}.first(fill(buffer_, until));
    const auto part = ahead_.first(std::min(ahead_.size(), into.size()));
    std::copy(part.begin(), part.end(), into.begin());
    ahead_ = ahead_.subspan(part.size());
    into = into.subspan(part.size());
  }
}

Bytes Reader::read(std::size_t bytes, Deadline::Clock::time_point until) {
  Bytes result(bytes);
  read(result, until);
  return result;
}

}  // namespace muster::worker::tcp
