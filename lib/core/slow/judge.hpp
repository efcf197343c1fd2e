// Decides from the arrivals at collectives whether one rank or node holds all others up. Pure.
//
// Only what is lost counts, and whether a rank has waited for a collective is not recorded: a training
// often begins several and waits for all of them. So collectives that follow each other closely form a
// round, and what a round loses is the longest time in it from the last arrival but one to the last.
// Closely: after less than half of the longest usual pause, which is that between two steps.
//
// In a healthy run somebody is last as well. A rank is named only if it is last far more often than the
// others, if its delays exceed what chance explains, and if they cost enough. A delay far beyond the rank's
// usual ones counts as a usual one: an evaluation or a checkpoint on rank 0 is long, but rare. Groups whose
// members send to each other are pipelines, in which somebody has to be last; they are left out, and so are
// the groups that contain two of their members.
#pragma once

#include "core/slow/meetings.hpp"
#include "core/slow/named.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::slow {

struct Limits {
  double percent = 2;  // of the time, lost by one rank or node
  std::chrono::nanoseconds warm_up = std::chrono::seconds(60);  // after the first collective
};

// What a rank or node costs, as far as the collectives of one group show it.
struct Suspect {
  std::size_t node = 0;
  std::optional<std::uint32_t> rank = {};
  std::string operation = {};
  std::string group = {};
  bool within_node = false;  // all of the group is on that node
  double last_share = 0;
  std::chrono::nanoseconds delay{0};
  std::chrono::nanoseconds period{0};
  double time_share = 0;

  friend bool operator==(const Suspect&, const Suspect&) = default;
};

class Judge {
 public:
  explicit Judge(const Limits& limits) : limits_(limits) {}

  void add(const std::vector<GroupMeetings>& all);

  // At most one for each node, the most expensive first.
  [[nodiscard]] std::vector<Suspect> look() const;

  // Whether a rank or node that was named still costs a noticeable part: half of what names it. No value if
  // too little has been seen since.
  [[nodiscard]] std::optional<bool> still(std::size_t node,
                                          std::optional<std::uint32_t> rank) const;

 private:
  using Time = std::chrono::nanoseconds;
  struct Round {
    Time end{0};
    Time period{0};
    std::uint32_t rank = 0;
    std::size_t rank_node = 0;
    std::size_t node = 0;  // the last, which may be that of another collective in the round
    Time delay{0};         // what the others wait for the rank
    std::optional<Time> node_delay = {};  // what the other nodes wait for the node
    std::string operation;
  };
  struct OfGroup {
    Group group;
    std::vector<std::uint32_t> members = {};  // empty: not known
    std::size_t nodes = 0;
    std::optional<Meeting> latest = {};
    std::optional<Round> open = {};  // without its end
    std::optional<Time> round_end = {};
    std::deque<Time> pauses = {};
    Time usual_pause{0};
    std::size_t pauses_until_look = 0;
    std::size_t skipped = 0;  // rounds while it warms up
    std::deque<Round> rounds = {};
  };

  void take(OfGroup& of, const Meeting& meeting);
  static void add_pause(OfGroup& of, Time pause);
  static void join(Round& round, const Meeting& meeting);
  void end_round(OfGroup& of);
  [[nodiscard]] bool is_pipeline(const OfGroup& of) const;
  [[nodiscard]] std::optional<Suspect> judge_rank(const OfGroup& of, double percent) const;
  [[nodiscard]] std::optional<Suspect> judge_node(const OfGroup& of, double percent) const;
  [[nodiscard]] std::vector<Suspect> suspects(double percent) const;

  const Limits limits_;
  std::optional<Time> begin_;  // of the first collective
  std::map<std::string, OfGroup> groups_;
};

// "0-3,8" as numbers; empty for anything else.
std::vector<std::uint32_t> members_of(const std::string& ranks);

}  // namespace muster::slow
