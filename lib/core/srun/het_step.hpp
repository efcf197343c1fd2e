// The components of a heterogeneous step, as given on srun's command line.
//
// srun asks its plugins only once for all components, and by then the environments of the other components
// are complete. But srun reads the variables named in --export only later. So the layout is added to
// --export, and reaches the nodes of every component.
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

// Likewise for components without --export: the name and value of that option's variable.
std::pair<std::string, std::string> export_layout_variable(const Environment& environment);

}  // namespace muster::srun
