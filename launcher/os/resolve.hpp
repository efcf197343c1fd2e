// A host's addresses.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace muster::os {

// Numeric addresses, as far as this machine resolves the name within a few seconds; at most 16.
std::vector<std::string> numeric_addresses(
    const std::string& host, std::chrono::milliseconds timeout = std::chrono::seconds(3));

}  // namespace muster::os
