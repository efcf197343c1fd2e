// Text that fits the screen: untrusted text, escaped, and never wider or longer than its space.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::report {

inline constexpr std::size_t max_report_lines = 24;
inline constexpr std::size_t max_report_columns = 100;

struct TextStyle {
  bool color = false;                  // true for a terminal without NO_COLOR
  std::chrono::seconds utc_offset{0};  // for the times shown: the submit host's
  std::string report_file{};           // where the JSON report is; may be empty
  std::string logs{};                  // the last attempt's directory in logs=; may be empty
};

using Lines = std::vector<std::string>;

// Width in terminal columns; "..." marks text that was cut off.
std::string fit(std::string_view text, std::size_t columns);

// "  host      : node1", no wider than the screen.
std::string field(std::string_view name, std::string_view value);

// The lines of the text. Leaves out what a carriage return has overwritten, such as the earlier states of a
// progress bar, and empty lines at the end.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace muster::report
