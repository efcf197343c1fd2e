// What ended an attempt, before its ranks are looked at one by one: Slurm's word, this srun's user,
// a lost node, or a rank.
#pragma once

#include "core/report/report.hpp"

#include <optional>
#include <string_view>

namespace muster::report {

struct Verdict {
  Result result = Result::ok;
  std::optional<Cause> cause;
  std::optional<SignalSent> user_signal;
  bool signalled_at_once = false;
};

// `first` is the first failure by the ranks alone.
Verdict find_verdict(const Record& record, const std::optional<FailedRank>& first);

// Why this rank failed.
Cause cause_of(const FailedRank& rank, const SlurmsWord& slurm);

// Lost, or without its agent.
bool is_lost(const NodeRecord& node);

}  // namespace muster::report
