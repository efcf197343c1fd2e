// Joins what the nodes tell of the same collective. Pure; memory is bounded.
#pragma once

#include "core/slow/piece.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::slow {

// A collective at which all ranks of its group have arrived.
struct Meeting {
  std::uint64_t number = 0;
  std::string operation;
  std::uint32_t rank = 0;  // the last to arrive
  std::size_t node = 0;    // its node
  std::size_t nodes = 0;   // with ranks in the group
  std::chrono::nanoseconds first{0};
  std::chrono::nanoseconds last{0};
  std::chrono::nanoseconds before{0};                       // the last but one
  std::optional<std::chrono::nanoseconds> other_node = {};  // the latest arrival on any other node
  std::chrono::nanoseconds error{0};                        // of differences between these times

  friend bool operator==(const Meeting&, const Meeting&) = default;
};

struct GroupMeetings {
  Group group;
  std::vector<Meeting> meetings = {};  // in ascending order, which calls after this one continue
};

class Meetings {
 public:
  void add(std::size_t node, const Piece& piece);

  // The complete ones, in order. Waits for a node that is behind the others only as long as there is room.
  std::vector<GroupMeetings> take();

  // The node tells nothing more: nobody waits for it.
  void leave(std::size_t node);

 private:
  using Time = std::chrono::nanoseconds;
  struct Part {
    std::string operation;
    std::uint32_t count = 0;
    std::size_t nodes = 0;
    std::size_t node = 0;
    std::uint32_t rank = 0;
    Time first{0};
    Time last{0};
    std::optional<Time> before = {};  // on any node
    std::optional<Time> other_node = {};
    Time error{0};
    Time greatest_error{0};
    std::optional<Time> end = {};  // if all nodes know it
  };
  struct OfGroup {
    Group group;
    std::map<std::uint64_t, Part> parts = {};          // by number
    std::map<std::size_t, std::uint64_t> newest = {};  // of each node
    std::uint64_t done = 0;                            // the number of the last one that was taken
    Time done_at{0};
  };

  static Time align(Part& part, const Collective& collective, const Piece& piece);
  static void join(Part& part, std::size_t node, const Collective& collective, const Piece& piece);
  static void add_to(OfGroup& of, std::size_t node, const Collective& collective,
                     const Piece& piece);
  static void take_from(OfGroup& of, std::vector<Meeting>& meetings);

  std::map<std::string, OfGroup> groups_;
};

}  // namespace muster::slow
