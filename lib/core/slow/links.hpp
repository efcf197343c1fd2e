// Decides from the traffic between the nodes whether one link holds all others up. Pure; time is given.
//
// A link is what one node's ranks send to another node. It is busy while data waits for the network. A link
// that is much slower than the others while it is busy loses the time that it would not be busy if it were
// as fast as they are. Its speed is compared only with links that carry about as much, and only if data
// queued up in it or had to be sent again: a small message is slow because the other node is far, not
// because the link is narrow.
//
// How far the connections of a link overlap in time is not known. If they all were busy at the same time,
// the link was busy as long as the busiest one; if they took turns, as long as all together. A link is slow
// only if it is slow both ways. Addresses that belong to no node of the step, or to several, are left out.
#pragma once

#include "core/slow/named.hpp"
#include "core/slow/traffic.hpp"

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace muster::slow {

struct LinkLimits {
  double percent = 2;                                           // of the time, lost by one link
  std::chrono::nanoseconds warm_up = std::chrono::seconds(60);  // after the first traffic
};

// A link, or all links of a node that carry traffic, in one direction or in both.
struct SlowLink {
  std::size_t from = 0;
  std::optional<std::size_t> to = {};     // no value: the network of `from`
  Direction direction = Direction::both;  // of a network
  double speed = 0;                       // bytes a second while busy
  double others = 0;                      // the same, the median of the others
  double busy_share = 0;                  // of the time
  double repeated_share = 0;              // of its TCP segments
  double lost_share = 0;                  // of the time

  std::vector<std::pair<std::size_t, std::size_t>> links =
      {};  // from and to: one, or all of the network

  [[nodiscard]] bool touches(std::size_t node) const;
  // A narrow link may look like a node's network at times.
  [[nodiscard]] bool overlaps(const SlowLink& other) const;

  friend bool operator==(const SlowLink&, const SlowLink&) = default;
};

class Links {
 public:
  using Time = std::chrono::nanoseconds;

  explicit Links(const LinkLimits& limits) : limits_(limits) {}

  void add(std::size_t node, const Traffic& traffic, Time now);

  // The most expensive first.
  [[nodiscard]] std::vector<SlowLink> look(Time now) const;

  // Those that still cost half of what names them, or that nearly are as slow.
  [[nodiscard]] std::vector<SlowLink> look_again(Time now) const;

  // Whether a link that has been slow since `since` would be known by now. True where there is no traffic.
  [[nodiscard]] bool would_know(Time since, Time now) const;

 private:
  using Slot = std::int64_t;
  struct Sum {
    Slot slot = 0;
    double bytes = 0;
    double busy = 0;  // seconds
    double most = 0;
    double segments = 0;
    double repeated = 0;
    double looks = 0;
    double queued = 0;
  };
  struct Link {
    std::size_t from = 0;
    std::size_t to = 0;
    friend auto operator<=>(const Link&, const Link&) = default;
  };
  // A link in the window.
  struct Seen {
    Link link;
    Sum sum;
    double time = 0;              // seconds
    std::vector<Sum> parts = {};  // its slots
  };
  struct Rules {
    double percent;
    double far_below;
    bool steady;
  };
  // How a link does beside some others.
  struct Compared {
    double ratio = 1;  // to the median of the others
    double others = 0;
    std::size_t count = 0;
    bool is_slow = false;
  };

  void own(std::size_t node, const Address& address);
  void count(const Link& link, const Flow& flow, Slot slot);
  [[nodiscard]] std::vector<SlowLink> judge(Time now, const Rules& rules) const;
  [[nodiscard]] std::vector<Seen> seen_by(Slot slot) const;
  template <class Keep>
  static Compared compare(const Seen& seen, const std::vector<Seen>& all, const Rules& rules,
                          const Keep& keep);
  static bool is_suspect(const Seen& seen, const Compared& compared, const Rules& rules);
  static std::optional<SlowLink> judge_network(std::size_t node, Direction direction,
                                               const std::vector<Seen>& all, const Rules& rules);

  const LinkLimits limits_;
  std::optional<Time> begin_;                             // of the traffic between nodes
  std::map<Address, std::optional<std::size_t>> owners_;  // no value: several nodes have it
  std::map<Link, std::deque<Sum>> links_;
};

}  // namespace muster::slow
