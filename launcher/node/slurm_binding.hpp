// What the user has asked of Slurm's own binding, as the step's environment shows it.
#pragma once

#include "core/environment.hpp"
#include "core/option/values.hpp"
#include "core/request/request.hpp"
#include "core/site/config.hpp"

#include <cstddef>

namespace muster::node {

// True when the user chose --cpu-bind on this step, other than to have none. srun turns a --hint
// into one as well, and that is no wish for a mask.
bool user_bound_cpus(const Environment& environment);

// `asked`, or none where the user said so by --cpu-bind=none: every task may use all of the step's
// CPUs then.
option::Bind bind_of(const Environment& environment, option::Bind asked);

// How many threads a task's mask surely has room for under the user's --cpu-bind: its
// --cpus-per-task where Slurm deals cores or threads, 0 where the masks are known to Slurm only.
std::size_t max_threads(const Environment& environment);

// True when the user chose --mem-bind.
bool user_bound_memory(const Environment& environment);

// The request with the hardware threads that --hint wishes for.
request::Request with_slurms_hint(request::Request request, const site::Config& config,
                                  const Environment& environment);

}  // namespace muster::node
