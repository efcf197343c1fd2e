// Parses the kernel's counters. Pure.
#pragma once

#include "core/status/status.hpp"

#include <functional>
#include <optional>
#include <string_view>

namespace muster::status {

// From /proc/net/dev: the sum over the `wanted` interfaces. No value if none of them exists.
std::optional<Traffic> network_traffic(std::string_view text,
                                       const std::function<bool(std::string_view)>& wanted);

// From /proc/PID/io: what the process has read and written, including the page cache.
std::optional<Traffic> file_traffic(std::string_view text);

// From the same file: what was read from and written to storage, including mapped files but not the page
// cache.
std::optional<Traffic> storage_traffic(std::string_view text);

}  // namespace muster::status
