// Recognises training tools that start ranks themselves, unless an option keeps them from doing so.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace muster::remark {

struct TrainingTool {
  std::string_view name;    // as the subject of a sentence
  std::string_view remedy;  // how to start the tool as one rank
};

// No value if the program is no such tool, or if its options may keep it from starting ranks.
std::optional<TrainingTool> training_tool_of(std::span<const std::string> program);

}  // namespace muster::remark
