// What an agent does after it has lost its supervisor because the batch host died, and with it the script and
// srun. Slurm ends such a job only when it marks the node down, and with --no-kill never. Pure.
#pragma once

#include "core/slurm/job.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace muster::restart {

struct LostHostRules {
  std::string host;  // the node of the script and supervisor; empty: not in this job
  std::uint32_t requeues_before = 0;  // when this run of the job began
  // At most this many times over the job's life. No value without requeue=: Slurm's own rule applies.
  std::optional<std::uint32_t> requeue = {};
  // The step in which the supervisor runs, "42.3", if it is a successor; otherwise empty.
  std::string step = {};

  friend bool operator==(const LostHostRules&, const LostHostRules&) = default;
};

// The job as Slurm reports it.
struct HostlessJob {
  slurm::Job job = {};
  bool host_lost = false;            // slurmctld gets no answer from the supervisor's host either
  std::set<std::string> steps = {};  // "42.0"
  // The highest generation of a waiting successor: see succession.hpp.
  std::optional<std::uint32_t> successor = {};
};

enum class LostHost : std::uint8_t {
  leave,    // the job is already ending, or another supervisor continues it
  wait,     // all that is known is that this node cannot reach the host
  requeue,  // nothing else would end the job: requeue it
  cancel,   // nothing else would end the job, and it may not be requeued: cancel it
  succeed,  // a successor is waiting, and may soon take over
};

enum class Successor : std::uint8_t { awaited, late };

// `first`: the job when this node started to look. The host does not answer this node either.
LostHost decide_lost_host(const LostHostRules& rules, const HostlessJob& first,
                          const HostlessJob& now, Successor successor = Successor::awaited);

// The rank of a node's agent among those that watch over the job, 0 to 19. They are few, so that thousands do
// not query slurmctld, and they are spread over the step, so that a lost rack does not contain all of them.
// No value for a node that leaves it to the others.
inline constexpr std::uint32_t max_searchers = 20;
std::optional<std::uint32_t> place_of(std::uint32_t node, std::uint32_t nodes);

}  // namespace muster::restart
