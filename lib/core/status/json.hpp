// Steps as JSON: what the supervisor answers, and what `muster status --json` prints.
#pragma once

#include "core/status/status.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::status {

inline constexpr std::size_t max_answer_bytes = std::size_t{32} << 20;

// One line.
std::string to_line(const Step& step);

// All steps, version 1 of the format, for people and programs.
std::string to_json(const std::vector<Step>& steps);

// These functions throw Error for anything that the ones above cannot have written.
Step step_from(std::string_view line);
std::vector<Step> steps_from(std::string_view json);

}  // namespace muster::status
