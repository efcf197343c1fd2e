// How a run ended, in a word or two.
#pragma once

#include "core/page/run.hpp"

#include <span>
#include <string>
#include <string_view>

namespace muster::page {

struct Verdict {
  std::string_view kind;  // its class in the style sheet
  std::string_view icon;
  std::string words;  // "Failed with exit code 1"
};
Verdict verdict_of(const Run& run);

// For one attempt: "ended well", "failed", ...
std::string_view words_for(report::Result result);

// "node[1-3],rack7".
std::string node_list(std::span<const std::string> names);

}  // namespace muster::page
