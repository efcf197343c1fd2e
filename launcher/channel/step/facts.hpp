// What the agent reads from the shim's facts: small, pure functions.
#pragma once

#include "core/environment.hpp"
#include "core/layout/layout.hpp"
#include "wire/messages.hpp"

#include <optional>
#include <string>
#include <vector>

namespace muster::channel {
struct Address;
}

namespace muster::request {
struct Request;
}

namespace muster::site {
struct Config;
class Site;
}  // namespace muster::site

namespace muster::rendezvous {
struct PortSources;
struct StepName;
}  // namespace muster::rendezvous

namespace muster::step {

struct StepRequest;

// The job's environment as its user sees it.
Environment environment_of(const wire::StepFacts& facts);

// The variables that the supervisor has filled with missing_plugin, and the srun option that carried a
// heterogeneous step's layout.
std::vector<std::string> not_for_tasks(const wire::StepFacts& facts);

// The supervisor's request. If srun passed on no variables (--export=NIL), a request made here from the
// option alone.
StepRequest attempt_of(const wire::StepFacts& facts, const site::Site& site);

// Agents can only find each other with the key that a supervisor made.
bool can_meet(const StepRequest& attempt);

// Where to reach the supervisor. The address at which this node's slurmd sees srun comes first.
channel::Address channel_of(const StepRequest& attempt, const Environment& environment);

layout::Layout layout_of(const wire::StepFacts& facts, const Environment& environment);

// The names that this node may have in a layout: its name in Slurm's topology, and its own.
std::vector<std::string> own_names(const Environment& environment);

// Throws Error if the layout that srun sent disagrees with what this slurmstepd knows. The names
// decide only if two components of a heterogeneous step look alike from here.
layout::NodeIndex node_of(const wire::StepFacts& facts, const layout::Layout& layout,
                          const std::vector<std::string>& names);

// The same for every component: the first component's job ID.
std::uint32_t job_id_of(const wire::StepFacts& facts, const layout::Layout& layout);

// The request with the network that the site's file gives for this job and for rank 0's node.
request::Request with_sites_network(request::Request request, const site::Config& config,
                                    const Environment& environment, const layout::Layout& layout);

rendezvous::StepName step_name_of(const wire::StepFacts& facts, const Environment& environment,
                                  const layout::Layout& layout, std::uint32_t attempt);

// "42.0", for TORCHELASTIC_RUN_ID; it must not be the same for all attempts of a supervisor.
std::string run_id(const rendezvous::StepName& name);

rendezvous::PortSources port_sources_of(const Environment& environment,
                                        const request::Request& request,
                                        const site::Config& config);

// The job's TMPDIR, then /tmp: a site may only create TMPDIR when the tasks start (in a TaskProlog, say).
std::vector<std::string> temporary_directories(const Environment& environment);

}  // namespace muster::step
