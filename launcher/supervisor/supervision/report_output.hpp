// Where the report of a step goes: to the terminal, and to the file of report=.
#pragma once

#include "core/logs/names.hpp"
#include "core/report/report.hpp"
#include "core/report/screen.hpp"
#include "core/request/request.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace muster::supervision {

// Why the file of report= cannot be written, and what to do; empty if it can. A path whose directory still
// contains patterns is not checked.
std::string report_obstacle(const std::string& file);

// Where to write a report that belongs into `file`: there, or into a free file beside it, which one line
// names, if that has the report of another step of the job that failed. `job`: its number, if known.
std::string file_for(const report::Report& report, const std::string& file, std::string job);

// Shows what ended the step, and writes the file of report=; if that fails, prints one line about it. Without
// `verbose`, nothing is shown about a first attempt that succeeded or about an `interactive` step. Nothing is
// shown about a step that no agent has seen either: srun or the agents have said why. Returns the exit code
// for a step that has failed; no value if this process has to end the way srun did. `run` is for the patterns
// of report=. `logs` is the last attempt's directory of logs=, or empty. `doubt` is a hint at the end of the
// report, or empty.
std::optional<int> show_report(const report::Report& report, const request::Request& request,
                               const logs::AttemptName& run, const std::string& logs,
                               bool interactive, const std::string& doubt);

// For a report on standard error. `time`: for the local time; `logs`: as above.
report::TextStyle terminal_style(std::chrono::system_clock::time_point time,
                                 const std::string& report_file, const std::string& logs = {});

// Writes report.json into the directory `logs`, next to the ranks' files. If that fails, prints one line
// about it.
void keep_report(const report::Report& report, const std::string& logs);

}  // namespace muster::supervision
