// What the time of a run was spent on, over all attempts. Pure.
#pragma once

#include "core/cost/attempt.hpp"
#include "core/cost/losses.hpp"

#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace muster::cost {

// GPU seconds by cause; the names are those of lost_parts().
using GpuSeconds = std::map<std::string_view, double>;

// all_ran, start, detection, stop, pauses, hang and queue add up to `wall`, from the first launch to the end
// of the last attempt.
struct Account {
  Time wall{0};
  Time all_ran{0};    // all ranks of an attempt were running
  Time start{0};      // from a launch until all ranks were running
  Time detection{0};  // from a failure until muster began to stop the other ranks
  Time stop{0};       // from then until the attempt had ended
  Time pauses{0};     // until the next launch
  Time startup{0};    // of all_ran: until the program's first step, or only until its process group
  Time lost_work{0};  // of all_ran: work that a later attempt did again
  Time hang{0};       // from the beginning of a hang until muster began to stop the ranks
  Time queue{0};      // in Slurm's queue, between two runs of the job
  // Whether the program shows how far it has got, so that startup and lost_work are known.
  bool has_progress = false;
  bool has_startup = false;   // without has_progress: until the process group, so at least that
  Time held_up{0};            // of effective(): by slow ranks
  Time last_effective{0};     // of effective(): in the last attempt, whose work is never lost
  GpuSeconds lost_gpus = {};  // with the GPUs of each attempt; empty if no attempt had any

  friend bool operator==(const Account&, const Account&) = default;
};

// Time during which the supervisor was suspended is in no part. An attempt may be launched before the
// previous one has completely ended. `losses`: one for each attempt.
Account account(std::span<const Attempt> attempts, std::span<const Loss> losses);

// The sum of the parts; `right` is about the later attempts.
Account sum(const Account& left, const Account& right);

// all_ran without startup and lost_work.
Time effective(const Account& account);

// The share of effective() in `wall`, from 0 to 1.
double effective_share(const Account& account);

// How much of effective() may be work that a later attempt did again. 0 if lost_work is known.
Time lost_work_limit(const Account& account);

// Why time was lost: "launch", "queue", ... The names are those of the metrics.
struct Part {
  std::string_view cause;
  Time time{0};
};

// Everything in `wall` but effective(). Without the parts that are unknown.
std::vector<Part> lost_parts(const Account& account);

}  // namespace muster::cost
