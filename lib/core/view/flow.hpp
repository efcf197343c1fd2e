// Limits how much of the ranks' output is in flight, at both ends of a watch. An agent sends a window of
// bytes, and more once the supervisor has shown some of them. It leaves out output that has become too old.
#pragma once

#include "core/view/output.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace muster::view {

// How many bytes an agent may have in flight. With few nodes this is enough for any terminal; with many, the
// supervisor can still buffer the bytes of all of them.
std::size_t window(std::uint32_t nodes);

// Where to continue in a file of which everything before `next` has been sent. No value if `next` is not too
// far behind. The rest of the line at the returned position is left out as well.
std::optional<std::uint64_t> skip_to(std::uint64_t next, std::uint64_t size);

// The agent's end of one stream.
class Sending {
 public:
  [[nodiscard]] std::uint64_t next() const { return next_; }
  [[nodiscard]] std::size_t under_way() const { return under_way_; }

  void sent(std::size_t bytes);
  void skip(std::uint64_t offset) { next_ = offset; }

  // The supervisor has shown everything before this.
  void shown(std::uint64_t offset);

  // The bytes in flight may be lost, so they are sent again.
  void lost();

 private:
  struct Range {
    std::uint64_t offset;
    std::size_t bytes;
  };

  std::uint64_t next_ = 0;
  std::size_t under_way_ = 0;
  std::deque<Range> sent_;
};

// The supervisor's end of one stream.
class Receiving {
 public:
  // Cuts off what has already arrived. False if nothing is left.
  bool take(OutputPiece& piece);
  [[nodiscard]] std::uint64_t next() const { return next_; }

 private:
  std::uint64_t next_ = 0;
};

}  // namespace muster::view
