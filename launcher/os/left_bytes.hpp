// Bytes that this process leaves to the program that replaces it (exec), in a nameless file. A variable of
// the environment names the file's descriptor.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace muster::os {

// Returns the entry for the next program's environment: "NAME=7". Throws Error.
std::string leave_bytes(const char* variable, const std::string& bytes);

// Removes the variable. No value if it is not set. What is longer than `max_bytes` is truncated, but to more
// than that, so that the caller can tell.
std::optional<std::string> take_bytes(const char* variable, std::size_t max_bytes);

}  // namespace muster::os
