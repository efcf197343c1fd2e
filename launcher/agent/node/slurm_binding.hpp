// What the user requested of Slurm's own binding, according to the step's environment.
#pragma once

#include "core/environment.hpp"
#include "core/option/value_types.hpp"
#include "core/request/request.hpp"
#include "core/site/config.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace muster::node {

// The environment, corrected by what the supervisor knows from srun's command line: its --hint, and whether
// the user chose --cpu-bind. srun also derives a --cpu-bind from other options, but that is not a request for
// a mask.
Environment with_sruns_line(Environment environment, const std::string& hint,
                            std::optional<bool> chose_cpu_bind);

// The functions below expect that environment.

// True if the user chose --cpu-bind on this step, except for --cpu-bind=none.
bool user_bound_cpus(const Environment& environment);

// Returns `requested`, or none if the user gave --cpu-bind=none: then every task may use all of the step's
// CPUs.
option::Bind bind_of(const Environment& environment, option::Bind requested);

// How many threads a task's mask is certain to have room for under the user's --cpu-bind: its
// --cpus-per-task if Slurm distributes cores or threads, 0 if only Slurm knows the masks.
std::size_t max_threads(const Environment& environment);

// True if the user chose --mem-bind.
bool user_bound_memory(const Environment& environment);

// The request with the hardware threads that --hint or --threads-per-core selects.
request::Request with_slurms_threads(request::Request request, const site::Config& config,
                                     const Environment& environment);

}  // namespace muster::node
