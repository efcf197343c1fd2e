// How much of the ranks' output is on its way at once, on both ends of a watch. An agent sends so much
// and waits until the supervisor has shown it; what it reads too late it leaves out.
#pragma once

#include "core/view/output.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

namespace muster::view {

// What an agent may have under way: of few nodes enough for any terminal, of many so little that the
// supervisor can keep it all.
std::size_t window(std::uint32_t nodes);

// Where to go on in a file of which everything before `next` has been sent: nothing where that is not
// too far behind. The rest of that line is left out, too.
std::optional<std::uint64_t> skip_to(std::uint64_t next, std::uint64_t size);

// An agent's end of one stream.
class Sending {
 public:
  [[nodiscard]] std::uint64_t next() const { return next_; }
  [[nodiscard]] std::size_t under_way() const { return under_way_; }

  void sent(std::size_t bytes);
  void skip(std::uint64_t offset) { next_ = offset; }

  // The supervisor has shown everything before this.
  void shown(std::uint64_t offset);

  // Whatever was under way may be lost: it is sent again.
  void lost();

 private:
  struct Piece {
    std::uint64_t offset;
    std::size_t bytes;
  };

  std::uint64_t next_ = 0;
  std::size_t under_way_ = 0;
  std::deque<Piece> pieces_;
};

// The supervisor's end of one stream.
class Receiving {
 public:
  struct News {
    std::uint64_t left_out = 0;   // bytes before these
    std::string_view bytes = {};  // none: they have come before
  };

  News take(const Output& output);
  [[nodiscard]] std::uint64_t next() const { return next_; }

 private:
  std::uint64_t next_ = 0;
};

}  // namespace muster::view
