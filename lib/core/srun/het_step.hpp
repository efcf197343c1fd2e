// The components of a heterogeneous step, as srun's command line shows them.
//
// srun asks its plugins only once for all components, and by then the environments of the other components
// are complete. But srun reads the variables that --export names later. So --export names the layout, and the
// layout reaches the nodes of every component.
#pragma once

#include "core/environment.hpp"
#include "core/srun/command.hpp"

#include <string>
#include <utility>
#include <vector>

namespace muster::srun {

// Whether the step has several components: `srun A : B` or --het-group=0,1.
bool heterogeneous(const Command& command);

// The command with the layout added to each of srun's --export options.
std::vector<std::string> export_layout(const Command& command);

// The same for components without --export: the name and value of that option's variable.
std::pair<std::string, std::string> export_layout_variable(const Environment& environment);

}  // namespace muster::srun
