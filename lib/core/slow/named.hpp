// Who or what holds up all others: what slow= finds. Plain data that status, report and page show.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::slow {

enum class Direction : std::uint8_t { both, out, in };

// It is not the node that is slow, but what it sends to another node, or its whole network.
struct NamedLink {
  std::string to = {};                    // the other node; empty: the network of the node
  Direction direction = Direction::both;  // of a network
  double speed = 0;                       // bytes a second while it is busy
  double others = 0;                      // the same, the median of the other links
  double busy_percent = 0;                // of the time
  double repeated_percent = 0;            // of its TCP segments are retransmitted

  friend bool operator==(const NamedLink&, const NamedLink&) = default;
};

struct Named {
  std::string node;
  std::optional<std::uint32_t> rank = {};  // no value: now one rank of the node, now another
  std::string operation = {};              // "all_reduce"
  std::string group = {};   // the program's name for the group; empty for torch's default one
  double last_percent = 0;  // of the collectives, in which it arrives last
  std::chrono::nanoseconds delay{0};   // what all others wait for it, each time
  std::chrono::nanoseconds period{0};  // from one time to the next
  double time_percent = 0;             // of the time that passes, is lost by it
  std::chrono::nanoseconds lost{0};    // so far, in this attempt
  std::chrono::nanoseconds since{0};   // when it was named, by the supervisor's clock
  bool over = false;                   // it has caught up since
  std::string cause = {};              // "its CPUs are throttled"; empty: not known
  std::optional<NamedLink> link =
      {};  // no value: a rank or node, and then all of the above is known

  // A link between two nodes says nothing about either of them.
  [[nodiscard]] bool blames_node() const { return !link || link->to.empty(); }

  friend bool operator==(const Named&, const Named&) = default;
};

// How long they have held up all others, together, in one attempt. Of the ranks only one is the last each
// time, but slow links are busy at the same time: the one that costs most counts.
std::chrono::nanoseconds held_up(const std::vector<Named>& all);

}  // namespace muster::slow
