// Who holds up all others: what slow= finds. Plain data that status, report and page show.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace muster::slow {

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

  friend bool operator==(const Named&, const Named&) = default;
};

}  // namespace muster::slow
