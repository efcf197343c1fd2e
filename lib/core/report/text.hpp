// The report as people read it: one screen, in the order and the words of torchrun's, and the same as
// one line.
#pragma once

#include "core/report/report.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace muster::report {

inline constexpr std::size_t max_report_lines = 24;
inline constexpr std::size_t max_report_columns = 100;

struct TextStyle {
  bool color = false;                  // a terminal, and no NO_COLOR
  std::chrono::seconds utc_offset{0};  // of the times: the submit host's
  std::string report_file;             // where the JSON is; may be empty
};

// Lines, with an end of line after each. At most max_report_lines of max_report_columns.
std::string to_text(const Report& report, const TextStyle& style);

// What happened, in one line without an end: also for success.
std::string summary(const Report& report);

}  // namespace muster::report
