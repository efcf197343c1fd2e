// Reads the report's JSON back, to show a run that is over. The file may be from a newer muster, cut off, or
// not a report at all. A field that is missing, or has another type than in version 1, counts as null.
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

// Throws Error if the text is not a report of version 1; the message is a clause that does not name the file.
ReadReport read_json(std::string_view text);

}  // namespace muster::report
