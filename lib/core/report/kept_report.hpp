// report=FILE may name one file for all steps of a job. A step must not overwrite the report of another one
// that needs an explanation: the step that copies a failed run's results would replace that run's report.
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace muster::report {

struct Report;

// The step whose report the file's text is, if that report is kept: it is about another step of the same run
// of the same job, which failed or was restarted. Otherwise empty. `job`: the own job's number.
std::string kept_step(std::string_view text, const Report& own, std::string_view job);

// Whether the text is that of a report.
bool is_report(std::string_view text);

// The name of the file beside it: "dir/report.2.json" for the second one beside "dir/report.json".
std::string file_beside(const std::string& file, unsigned number);

}  // namespace muster::report
