// Decides from samples whether a step hangs: nothing in it has moved for as long as the user allows. Pure.
//
// A step also hangs if something moves but all ranks stay in their collectives: then whatever prints or reads
// is not the training. One rank outside a collective rules this out, because it may evaluate or write a
// checkpoint.
//
// CPU time means nothing, because a rank that waits for a GPU spins. Silence grows only by observed time, so
// neither a stopped supervisor nor a node that does not answer looks like a hang. Nor does it grow while all
// ranks are suspended, as in a job that Slurm has suspended; a single rank that somebody has stopped holds up
// the others.
#pragma once

#include "core/hang/sample.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::hang {

enum class State : std::uint8_t {
  moves,   // something moves, or the step has not begun or is ending
  silent,  // silent, but not long enough yet, or already reported
  hangs,   // returned once for each silence
  unseen,  // a hang could have been missed; returned once, until every node is seen again
};

struct Limits {
  std::chrono::nanoseconds silence;
  std::chrono::nanoseconds interval;  // usual time between two samples
};

struct Unseen {
  std::string node;
  bool starting = false;  // its ranks have not started

  friend bool operator==(const Unseen&, const Unseen&) = default;
};

// The time between two samples of a step that may be silent for `silence`.
std::chrono::nanoseconds interval_for(std::chrono::nanoseconds silence);

class Judge {
 public:
  explicit Judge(const Limits& limits) : limits_(limits) {}

  State take(Sample sample);

  // The first sample after a dump, which has itself disturbed the ranks: only activity that a dump does not
  // cause counts as movement.
  State take_after_dump(Sample sample);

  // The silence of the last reported hang; 0 once it is over.
  [[nodiscard]] std::chrono::nanoseconds silence() const {
    return by_collectives_ ? stay_ : silence_;
  }
  [[nodiscard]] bool by_collectives() const { return by_collectives_; }
  // The nodes that the last sample did not see; empty if only srun's output was not seen.
  [[nodiscard]] const std::vector<Unseen>& unseen() const { return unseen_; }

 private:
  [[nodiscard]] bool follows(const Sample& sample) const;
  using Moves = std::function<bool(const status::Counts& before, const status::Counts& now)>;
  [[nodiscard]] bool moved_since_last(const Sample& sample, const Moves& moves) const;
  bool sees_all(const Sample& sample);
  State restart();
  State not_seen(std::chrono::nanoseconds time);
  State silent(std::chrono::nanoseconds time);
  [[nodiscard]] bool stays_in_collectives(const Sample& sample) const;
  void stay(bool stays, std::chrono::nanoseconds time);
  State with_collectives(State state);

  const Limits limits_;
  std::optional<Sample> last_;
  std::chrono::nanoseconds silence_{0};
  bool said_ = false;
  std::chrono::nanoseconds stay_{0};  // how long all ranks have stayed in their collectives
  bool said_stay_ = false;
  bool by_collectives_ = false;  // how the last reported hang was noticed
  std::chrono::nanoseconds blind_{0};
  bool said_blind_ = false;
  std::vector<Unseen> unseen_;
};

}  // namespace muster::hang
