// scancel of this step, where its supervisor cannot be told that a rank has failed.
#pragma once

#include "core/environment.hpp"
#include "core/file/trusted_file.hpp"

#include <chrono>
#include <string>

namespace muster::agent {

// "42.0". False where scancel failed or was not done in time; it is not waited for longer.
bool cancel_step(const std::string& step, const Environment& environment, const file::Trust& trust,
                 std::chrono::milliseconds timeout);

}  // namespace muster::agent
