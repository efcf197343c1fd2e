// Whether a step hangs: nothing of it has moved for as long as its user gives it. Pure: samples go in.
//
// CPU time says nothing, because whoever waits for a GPU computes. Silence grows only by time that was
// seen: neither a supervisor that was stopped nor a node that does not answer makes a hang.
#pragma once

#include "core/hang/sample.hpp"

#include <chrono>
#include <cstdint>
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

// So often a step that may be silent for so long is looked at.
std::chrono::nanoseconds interval_for(std::chrono::nanoseconds silence);

class Judge {
 public:
  explicit Judge(const Limits& limits) : limits_(limits) {}

  State take(Sample sample);

  // What has moved since the last sample says nothing: this process itself has looked at the ranks.
  void skip() { last_.reset(); }

  [[nodiscard]] std::chrono::nanoseconds silence() const { return silence_; }
  // What was not seen by the last sample: nodes; none where it was srun's output.
  [[nodiscard]] const std::vector<std::string>& unseen() const { return unseen_; }

 private:
  [[nodiscard]] bool follows(const Sample& sample) const;
  [[nodiscard]] bool moved_since_last(const Sample& sample) const;
  bool sees_all(const Sample& sample);
  State restart();
  State not_seen(std::chrono::nanoseconds time);
  State silent(std::chrono::nanoseconds time);

  const Limits limits_;
  std::optional<Sample> last_;
  std::chrono::nanoseconds silence_{0};
  bool said_ = false;
  std::chrono::nanoseconds blind_{0};
  bool said_blind_ = false;
  std::vector<std::string> unseen_;
};

}  // namespace muster::hang
