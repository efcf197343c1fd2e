// The files of logs= as the calling task's standard output and error. In the task itself and with its
// user's rights: what the user can see and write there is all that is opened.
#pragma once

#include "wire/messages.hpp"

#include <string>

namespace muster::confine {

// Nothing is changed where the plan names no file. Returns why the task must not start, or nothing.
std::string redirect_output(const wire::TaskPlan& task);

}  // namespace muster::confine
