// Programs that only start another one and wait for it: `conda run`, `uv run`, `timeout`. Pure.
#pragma once

#include <string_view>

namespace muster::ranks {

// `executable`: the file's name. `command_line`: as in /proc/PID/cmdline, each word followed by a zero byte.
bool is_starter(std::string_view executable, std::string_view command_line);

}  // namespace muster::ranks
