// What scontrol prints, as fields. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace muster::supervise {

// The value of "NAME=VALUE" between spaces, the first of several lines that has it; empty where there
// is none.
std::string_view field(std::string_view text, std::string_view name);

// The line of the job with that number in what `scontrol --oneliner show job` prints: of an array's or a
// heterogeneous job's number, those of the other tasks or components, too. Empty where it is not there whole.
std::string_view job_line(std::string_view text, std::string_view job);

// What a command about one job of such a line must be given: the number of one of an array's tasks may mean
// the whole array.
std::string task_name(std::string_view line);

// The same for `scontrol update`, to which a heterogeneous job's number means all of its components.
std::string component_name(std::string_view line);

// The number behind "NAME  = " in the text of `scontrol show config`.
std::optional<unsigned> config_number(std::string_view config, std::string_view name);

}  // namespace muster::supervise
