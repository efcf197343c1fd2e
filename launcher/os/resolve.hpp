// A host's addresses.
#pragma once

#include <string>
#include <vector>

namespace muster::os {

// Numeric, as this machine resolves the name within a few seconds; at most 16.
std::vector<std::string> numeric_addresses(const std::string& host);

}  // namespace muster::os
