// The report's JSON read back, for whoever shows a run that is over. The file may be of a newer muster,
// cut off, or anybody's: a field that is missing or has another type than version 1 gives it is as if it
// were null.
#pragma once

#include "core/report/report.hpp"

#include <string>
#include <string_view>

namespace muster::report {

struct ReadReport {
  Report
      report;  // times to the millisecond; `user_signal` and `signalled_at_once` are not in the JSON
  std::string summary;  // as the supervisor wrote it
};

// Throws Error, a clause without the file's name, where the text is no report of version 1.
ReadReport read_json(std::string_view text);

}  // namespace muster::report
