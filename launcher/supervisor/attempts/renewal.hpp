// A package may replace muster during a run. The agents of the next attempt are then of another version, and
// would refuse this process's requests. So between two attempts, the new program takes this process's place:
// it runs the same command line, and continues to count the attempts.
#pragma once

#include "core/restart/renewed.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace muster::attempts {

// The version of the program that is now in the place of this process's, if it is another one. Empty
// otherwise, or if it does not say its version within a few seconds.
std::string other_version();

// Executes that program with this process's own arguments and first environment. Throws Error if that fails.
[[noreturn]] void renew(const restart::Renewed& renewed,
                        std::chrono::system_clock::time_point start);

// What the replaced program has left to this one, as text. Call it before other threads exist.
std::optional<std::string> take_left();

// Throws Error if the text cannot be read.
std::optional<restart::Renewed> renewed_by(const std::optional<std::string>& left,
                                           std::chrono::system_clock::time_point start);

}  // namespace muster::attempts
