// What an agent tells the supervisor about its ranks' collectives, for slow=: of each collective only the
// first and the last arrival on the node, so that a message does not grow with the number of ranks.
#pragma once

#include "core/record/limits.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::slow {

inline constexpr std::size_t max_groups = 16;        // of a rank, or of a node in one message
inline constexpr std::size_t max_operations = 16;    // names in one message
inline constexpr std::size_t max_collectives = 768;  // in one answer
inline constexpr std::size_t max_in_piece = 600;     // so that a message has room for them
inline constexpr std::size_t max_name_bytes = 64;
inline constexpr std::size_t max_ranks_bytes = 256;
inline constexpr std::uint32_t max_rank = (1U << 20) - 1;
// Of a step, and of an error of its clocks: sums of a few such times fit into nanoseconds.
inline constexpr std::chrono::nanoseconds longest_step = std::chrono::hours(24 * 365 * 10);
inline constexpr std::chrono::nanoseconds greatest_error = std::chrono::seconds(1);

// A process group of torch.
struct Group {
  std::string name;        // torch's, the same on all ranks
  std::string text = {};   // the program's
  std::string ranks = {};  // "0-7"; empty: too many to list
  std::uint32_t size = 0;
  // Its members send to each other, as the stages of a pipeline do: who of them is last is no fault.
  bool pairs = false;

  friend bool operator==(const Group&, const Group&) = default;
};
template <class Io>
void fields(Io& io, Group& group) {
  io(group.name, record::Line{max_name_bytes})(group.text, record::Line{max_name_bytes});
  io(group.ranks, record::Line{max_ranks_bytes});
  io(group.size, record::Range{0U, max_rank + 1})(group.pairs);
}

// A collective, as far as this node's ranks take part in it.
struct Collective {
  std::uint32_t group = 0;             // index in Piece::groups
  std::uint32_t operation = 0;         // index in Piece::operations
  std::uint64_t number = 0;            // torch's, counted in each group
  std::uint32_t count = 0;             // how many of the node's ranks have arrived
  std::uint32_t rank = 0;              // the last of them
  std::chrono::microseconds first{0};  // arrivals, counted from Piece::base
  std::chrono::microseconds last{0};
  std::optional<std::chrono::microseconds> before{};  // the last but one
  // When it ended, if its ranks know how long it took: the arrivals are then counted back from its end,
  // which is the same moment on all nodes.
  std::optional<std::chrono::microseconds> end{};

  friend bool operator==(const Collective&, const Collective&) = default;
};
template <class Io>
void fields(Io& io, Collective& collective) {
  constexpr record::Range time{std::chrono::microseconds(0),
                               std::chrono::microseconds(std::chrono::hours(24))};
  io(collective.group, record::Range<std::size_t>{0, max_groups - 1});
  io(collective.operation, record::Range<std::size_t>{0, max_operations - 1});
  io(collective.number)(collective.count)(collective.rank, record::Range{0U, max_rank});
  io(collective.first, time)(collective.last, time)(collective.before, time)(collective.end, time);
}

// The collectives that have ended on a node since its last message.
struct Piece {
  std::chrono::nanoseconds base{0};   // by the supervisor's clock
  std::chrono::nanoseconds error{0};  // of the clock, in either direction
  std::vector<Group> groups = {};
  std::vector<std::string> operations = {};
  std::vector<Collective> collectives = {};  // of each group in ascending order

  friend bool operator==(const Piece&, const Piece&) = default;
};
template <class Io>
void fields(Io& io, Piece& piece) {
  io(piece.base, record::Range{-longest_step, longest_step});
  io(piece.error, record::Range{greatest_error.zero(), greatest_error});
  io(piece.groups, record::First{max_groups});
  io(piece.operations, record::First{max_operations}, record::Line{max_name_bytes});
  io(piece.collectives, record::First{max_in_piece});
}

}  // namespace muster::slow
