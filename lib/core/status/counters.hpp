// The kernel's counters as text, read. Pure.
#pragma once

#include "core/status/status.hpp"

#include <functional>
#include <optional>
#include <string_view>

namespace muster::status {

// From /proc/net/dev: the interfaces that are `wanted` together. Nothing where there is none.
std::optional<Traffic> network_traffic(std::string_view text,
                                       const std::function<bool(std::string_view)>& wanted);

// From /proc/PID/io: what the process has read and written, from the page cache, too.
std::optional<Traffic> file_traffic(std::string_view text);

// From the same: what has gone from and to storage. That of mapped files is there, too, and that of the
// page cache is not.
std::optional<Traffic> storage_traffic(std::string_view text);

}  // namespace muster::status
