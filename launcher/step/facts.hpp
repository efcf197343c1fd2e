// What the agent reads out of the shim's facts: small, pure functions.
#pragma once

#include "core/environment.hpp"
#include "core/layout/layout.hpp"
#include "core/rendezvous/ports.hpp"
#include "launcher/site/site.hpp"
#include "launcher/step/attempt.hpp"
#include "wire/messages.hpp"

#include <optional>
#include <string>
#include <vector>

namespace muster::step {

// The job's environment as its user knows it.
Environment environment_of(const wire::StepFacts& facts);

// The variables that the supervisor has filled with missing_plugin, and srun's option by which a
// heterogeneous step's layout came.
std::vector<std::string> not_for_tasks(const wire::StepFacts& facts);

// From the supervisor; made here from the option alone where srun passed no variables on
// (--export=NIL).
Attempt attempt_of(const wire::StepFacts& facts, const site::Site& site);

// Agents can only find each other with the key that a supervisor made.
bool can_meet(const Attempt& attempt);

// Where the supervisor can be asked: first at the address at which this node's slurmd heard of
// srun.
channel::Address channel_of(const Attempt& attempt, const Environment& environment);

layout::Layout layout_of(const wire::StepFacts& facts, const Environment& environment);

// What this node may be called in a layout: by Slurm's topology, by itself.
std::vector<std::string> own_names(const Environment& environment);

// Error when the layout that srun sent disagrees with what this slurmstepd knows. Only where two
// components of a heterogeneous step look alike from here do the names decide.
layout::NodeIndex node_of(const wire::StepFacts& facts, const layout::Layout& layout,
                          const std::vector<std::string>& names);

// The same for every component: that of the first.
std::uint32_t job_id_of(const wire::StepFacts& facts, const layout::Layout& layout);

// The request with the network that the site has for this job and for rank 0's node.
request::Request with_sites_network(request::Request request, const site::Config& config,
                                    const Environment& environment, const layout::Layout& layout);

rendezvous::StepName step_name_of(const wire::StepFacts& facts, const Environment& environment,
                                  const layout::Layout& layout, std::uint32_t attempt);

// "42.0": TORCHELASTIC_RUN_ID, the same for all attempts of one supervisor's step would be wrong.
std::string run_id(const rendezvous::StepName& name);

rendezvous::PortSources port_sources_of(const Environment& environment,
                                        const request::Request& request,
                                        const site::Config& config);

// TMPDIR of the job, or /tmp.
std::string temporary_directory(const Environment& environment);

}  // namespace muster::step
