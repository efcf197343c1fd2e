// Redirects the calling task's standard output and error to its files of logs=. Runs in the task itself, with
// its user's rights, so it can open only what the user can see and write there.
#pragma once

#include "wire/messages.hpp"

#include <string>

namespace muster::confine {

// Changes nothing if the plan names no file. Returns why the task must not start, or "".
std::string redirect_output(const wire::TaskPlan& task);

}  // namespace muster::confine
