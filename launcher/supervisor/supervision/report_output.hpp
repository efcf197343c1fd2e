// Where a step's report goes: the terminal, and the file of report=.
#pragma once

#include "core/logs/names.hpp"
#include "core/report/report.hpp"
#include "core/request/request.hpp"

#include <optional>
#include <string>

namespace muster::supervision {

// Why the file of report= could not be written now, with what to do; empty if it could. A part of the
// path that is still a pattern is not judged.
std::string report_obstacle(const std::string& file);

// Shows what ended the step, and writes the file if the request has one; a file that cannot be
// written is one line. Nothing is shown of a first attempt that ended well or of an `interactive`
// step, but under `verbose`, and nothing of a step that no agent has seen, of which srun and the
// agents have said why. Returns the exit code for a step that has failed, or nothing where srun's
// own end is to be repeated. `run` is for the patterns of report=. `logs` is the last attempt's
// directory of logs=, or empty; `doubt` is a hint that the report ends with, or empty.
std::optional<int> show_report(const report::Report& report, const request::Request& request,
                               const logs::AttemptName& run, const std::string& logs,
                               bool interactive, const std::string& doubt);

// Beside the ranks' files of logs=, in that directory; one line where that cannot be.
void keep_report(const report::Report& report, const std::string& logs);

}  // namespace muster::supervision
