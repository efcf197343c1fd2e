// slow=: when this node's ranks come to their collectives, asked of their flight recorders now and then: as
// often as costs each rank at most a thousandth of a core. Never waits for a program: what it has not
// answered soon is read before the next question, and what it has not answered then is left out.
#pragma once

#include "core/report/record.hpp"
#include "core/slow/node_arrivals.hpp"
#include "core/slow/wall_clock.hpp"
#include "launcher/agent/ranks/ranks.hpp"
#include "launcher/agent/ranks/recorder_door.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace muster::agent {

class Arrivals {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // A moment by the supervisor's clock.
  using Convert = std::function<report::Moment(Time)>;

  // When to call look() next.
  [[nodiscard]] Time next() const { return next_; }

  // The processes of this rank, as torch numbers it, or of all ranks that have answered.
  [[nodiscard]] std::vector<pid_t> processes_of(std::optional<std::uint32_t> rank) const;

  // What there is to tell the supervisor.
  std::optional<slow::Piece> look(Time now, const ranks::Ranks& ranks, const Convert& convert);

 private:
  struct Asked {
    ranks::RecorderDoor door;
    std::chrono::nanoseconds
        since;  // by the wall clock: when the last collective that it has told of was called
    bool waits = false;                      // for the answer
    std::chrono::nanoseconds cost{0};        // of its latest answer
    std::optional<std::uint32_t> rank = {};  // torch's
  };

  void find_doors(Time now, const ranks::Ranks& ranks);
  void read_clocks();
  void ask(Time now);
  void take(Asked& asked, const slow::Convert& convert);
  std::optional<slow::Piece> read(const Convert& convert);

  std::map<pid_t, Asked> doors_;
  slow::WallClock wall_clock_;
  slow::NodeArrivals arrivals_;
  bool reads_next_ = false;
  Time next_;
  Time find_again_;
};

}  // namespace muster::agent
