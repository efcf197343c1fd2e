// Recognises training tools that start ranks themselves, unless an option or a variable keeps them from
// doing so.
#pragma once

#include "core/environment.hpp"

#include <optional>
#include <span>
#include <string>

namespace muster::remark {

struct TrainingTool {
  std::string name;    // as the subject of a sentence
  std::string remedy;  // how to start the tool as one rank
};

// No value if the program is no such tool, or if its options or its environment may keep it from starting
// ranks.
std::optional<TrainingTool> training_tool_of(std::span<const std::string> program,
                                             const Environment& environment);

}  // namespace muster::remark
