// The steps that a user means, wherever their supervisors are.
#pragma once

#include "core/environment.hpp"
#include "core/status/status.hpp"

#include <functional>
#include <string>
#include <vector>

namespace muster::status {

// Asks the supervisors on this host for the steps of that name.
using AskHere =
    std::function<std::vector<Step>(const std::string& name, const Environment& environment)>;

// `asked`: as the user named them; empty: all on this host, or else those of the user's only job. With
// `only_here`, no other host is asked. Throws an Error of one line if there is no such step.
std::vector<Step> find_steps(const std::string& asked, bool only_here, const AskHere& ask_here);

}  // namespace muster::status
