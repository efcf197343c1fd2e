// Reduces what a node's ranks answer to one entry for each collective. Pure.
#pragma once

#include "core/slow/answer.hpp"
#include "core/slow/piece.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace muster::slow {

// A time of the node's wall clock by the supervisor's clock; no value if that is not known.
using Convert =
    std::function<std::optional<std::chrono::nanoseconds>(std::chrono::nanoseconds wall)>;

class NodeArrivals {
 public:
  void add(const Answer& answer, const Convert& convert);

  // Those that each of the node's ranks in the group has passed; the others come with a later call. No
  // value if there are none. `error`: of the times.
  std::optional<Piece> take(std::chrono::nanoseconds error);

  // Forgets everything, for example because the clock has been set.
  void clear() { groups_.clear(); }

 private:
  using Time = std::chrono::nanoseconds;
  struct Pending {
    std::string operation;
    std::uint32_t count = 0;
    std::uint32_t rank = 0;
    Time first{0};
    Time last{0};
    std::optional<Time> before = {};
    // Of the ranks that know how long it took.
    std::uint32_t timed = 0;
    std::uint32_t shortest_rank = 0;
    Time shortest{0};
    Time longest{0};
    std::optional<Time> second = {};  // the shortest but one
    Time end{0};
  };
  struct OfGroup {
    Group group;
    std::map<std::uint64_t, Pending> pending = {};       // by number
    std::map<std::uint32_t, std::uint64_t> newest = {};  // of each rank
    Time latest{0};                                      // arrival in this group
  };

  static void arrive(Pending& pending, std::uint32_t rank, Time time);
  static void take_time(Pending& pending, std::uint32_t rank, Time time, Time took);
  static void count_back(Pending& pending);
  using Ready = std::map<std::uint64_t, Pending>::const_iterator;
  static Ready ready(const OfGroup& of);
  static void take_from(OfGroup& of, Piece& piece);

  std::map<std::string, OfGroup> groups_;  // by name and ranks
};

}  // namespace muster::slow
