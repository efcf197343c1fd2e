// The user's progress file: whether an attempt got any further than the one before.
#pragma once

#include <string>

namespace muster::attempts {

// What the file holds, its first 4 KiB; empty where it cannot be read: then there is no progress.
std::string progress_of(const std::string& file);

}  // namespace muster::attempts
