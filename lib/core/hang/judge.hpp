// Whether a step hangs: nothing of it has moved for as long as its user gives it. Pure: samples go in.
//
// Or it moves, and all its ranks stay in their collectives: then whatever prints or reads is no training.
// One rank outside is enough for that to be none: it may evaluate, or write a checkpoint.
//
// CPU time says nothing, because whoever waits for a GPU computes. Silence grows only by time that was
// seen: neither a supervisor that was stopped nor a node that does not answer makes a hang.
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
  moves,   // or has not begun, or ends
  silent,  // not yet for long enough; or it has been said
  hangs,   // once in each silence
  unseen,  // for so long that a hang would have been missed; once, until all is seen again
};

struct Limits {
  std::chrono::nanoseconds silence;
  std::chrono::nanoseconds interval;  // between two samples, usually
};

struct Unseen {
  std::string node;
  bool starting = false;  // its ranks have not started

  friend bool operator==(const Unseen&, const Unseen&) = default;
};

// So often a step that may be silent for so long is looked at.
std::chrono::nanoseconds interval_for(std::chrono::nanoseconds silence);

class Judge {
 public:
  explicit Judge(const Limits& limits) : limits_(limits) {}

  State take(Sample sample);

  // The first sample after a dump, for which this process itself has looked at the ranks: they move only
  // where they have done what a dump does not.
  State take_after_dump(Sample sample);

  // Of the hang that was said last; 0 once it is over.
  [[nodiscard]] std::chrono::nanoseconds silence() const {
    return by_collectives_ ? stay_ : silence_;
  }
  [[nodiscard]] bool by_collectives() const { return by_collectives_; }
  // What was not seen by the last sample: nodes; none where it was srun's output.
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
  std::chrono::nanoseconds stay_{0};  // of all ranks in their collectives
  bool said_stay_ = false;
  bool by_collectives_ = false;  // the hang that was said last
  std::chrono::nanoseconds blind_{0};
  bool said_blind_ = false;
  std::vector<Unseen> unseen_;
};

}  // namespace muster::hang
