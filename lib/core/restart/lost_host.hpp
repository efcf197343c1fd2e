// A batch job whose batch host has died, and with it the script, srun and the supervisor. Slurm ends such
// a job only when it calls the node down, and never one with --no-kill. What an agent of its step, which
// has lost its supervisor there, is to do. Pure.
#pragma once

#include "core/slurm/job.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace muster::restart {

struct LostHostRules {
  std::string host;                   // on which script and supervisor ran; empty: not of this job
  std::uint32_t requeues_before = 0;  // when this run of the job began
  // At most so often over the job's life; nothing where nobody has said so: Slurm's own rule then.
  std::optional<std::uint32_t> requeue = {};
  // The step in which the supervisor runs, "42.3", once it is a successor of the script's; else empty.
  std::string step = {};

  friend bool operator==(const LostHostRules&, const LostHostRules&) = default;
};

// The job as Slurm has it.
struct HostlessJob {
  slurm::Job job = {};
  bool host_lost = false;            // slurmctld gets no answer from the supervisor's host either
  std::set<std::string> steps = {};  // "42.0"
  // The highest generation of a supervisor that waits for its turn: see succession.hpp.
  std::optional<std::uint32_t> successor = {};
};

enum class LostHost : std::uint8_t {
  leave,    // the job is ending already, or somebody goes on with it
  wait,     // only this node is known to be cut off from the host
  requeue,  // nobody is left who would end the job: it goes back into the queue
  cancel,   // the same, and it may not
  succeed,  // nobody, but a successor is there, and may begin soon
};

enum class Successor : std::uint8_t { awaited, late };

// `first`: the job when this node began to look. The host answers this node neither.
LostHost decide_lost_host(const LostHostRules& rules, const HostlessJob& first,
                          const HostlessJob& now, Successor successor = Successor::awaited);

// The place of a node's agent among those that look after the job, 0 to 19: few, so that slurmctld is not
// asked by thousands, and from all over the step, so that a rack that is lost as a whole has not all of
// them. Nothing for a node that leaves it to the others.
inline constexpr std::uint32_t max_searchers = 20;
std::optional<std::uint32_t> place_of(std::uint32_t node, std::uint32_t nodes);

}  // namespace muster::restart
