// The user's progress file, which shows whether an attempt got any further than the previous one.
#pragma once

#include <string>

namespace muster::attempts {

// The first 4 KiB of the file. Empty if it cannot be read: that counts as no progress.
std::string progress_of(const std::string& file);

}  // namespace muster::attempts
