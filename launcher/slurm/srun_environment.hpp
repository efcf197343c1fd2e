// srun's environment: the request for the nodes, and the srun settings that distributed training needs. Pure.
#pragma once

#include "core/environment.hpp"
#include "core/srun/command.hpp"
#include "launcher/channel/step/step_request.hpp"

#include <string>
#include <utility>
#include <vector>

namespace muster::profile {
struct Profile;
}

namespace muster::slurm {

struct EnvironmentChange {
  std::vector<std::pair<std::string, std::string>> set;
  std::vector<std::string> unset;
};

// `has_pmix`: Slurm here has an mpi/pmix plugin.
EnvironmentChange srun_environment(const Environment& environment, const step::StepRequest& attempt,
                                   bool has_pmix);

// Likewise without Slurm: only the request, no srun settings.
EnvironmentChange environment_of_child(const Environment& environment,
                                       const step::StepRequest& attempt);

// The variables that tell a task its identity, filled with missing_plugin until a node sets the right
// values. Those that the user exported are kept.
EnvironmentChange placeholders_for_nodes(const Environment& environment,
                                         const profile::Profile& profile);

// True if the user has chosen --mpi; srun's own option overrides its variable by itself.
bool chose_mpi(const Environment& environment, const srun::Command& command);

// The value of srun's --hint, the last one if there are several; empty if there is none. A value that srun
// refuses anyway is truncated if it is absurdly long, and becomes empty if it is not UTF-8.
std::string hint(const srun::Command& command);

void apply(const EnvironmentChange& change);

}  // namespace muster::slurm
