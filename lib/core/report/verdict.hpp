// What ended an attempt, judged before its ranks are examined one by one: Slurm, this srun's user, a lost
// node, or a rank.
#pragma once

#include "core/report/failures.hpp"
#include "core/report/record.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace muster::report {

enum class Result : std::uint8_t { ok, failed, cancelled, timeout, preempted };
std::string_view to_string(Result result);

enum class Cause : std::uint8_t {
  program,        // a rank ended with an exit code of its own
  signal,         // a rank died of a signal that muster had not sent
  out_of_memory,  // the kernel killed a rank, or its child, because of memory
  node,           // a node, or muster's agent there, is gone
  slurm,          // Slurm ended the step
  user,           // the user cancelled it
  time_limit,
  preemption,
  launch,  // no rank started
  hang,    // the step hung, and muster ended it because of that
};
std::string_view to_string(Cause cause);

struct Verdict {
  Result result = Result::ok;
  std::optional<Cause> cause;
  std::optional<SignalSent> user_signal;
  bool signalled_at_once = false;
};

// `first` is the first failure judging by the ranks alone.
Verdict find_verdict(const Record& record, const std::optional<FailedRank>& first);

// Why this rank failed.
Cause cause_of(const FailedRank& rank, const SlurmJobState& slurm);

// The node is lost, or its agent is gone.
bool is_lost(const NodeRecord& node);

}  // namespace muster::report
