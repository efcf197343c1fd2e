// A dump as one screen for people, and in full as files.
#pragma once

#include "core/dump/groups.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace muster::dump {

inline constexpr std::size_t max_screen_lines = 24;
inline constexpr std::size_t max_screen_columns = 80;

// At most max_screen_lines of max_screen_columns characters, without terminal control characters. `place`:
// where the files are; empty: nowhere.
std::string screen(const Dump& dump, const std::string& place);

// The same groups with full stacks and all ranks.
std::string full_text(const Dump& dump);

// Everything that is known about a rank's processes.
std::string rank_text(const Dump& dump, std::uint32_t rank);

// "rank 12 on node1: waiting, in read (data.py:7), called by main (train.py:86)".
std::string group_line(const Group& group);

// In UTC, in a format for strftime.
std::string time_text(std::chrono::system_clock::time_point time, const char* format);

}  // namespace muster::dump
