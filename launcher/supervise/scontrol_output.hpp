// What scontrol prints, as fields. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace muster::supervise {

// The value of "NAME=VALUE" between spaces, the first of several lines that has it; empty where there
// is none.
std::string_view field(std::string_view text, std::string_view name);

// The number behind "NAME  = " in the text of `scontrol show config`.
std::optional<unsigned> config_number(std::string_view config, std::string_view name);

}  // namespace muster::supervise
