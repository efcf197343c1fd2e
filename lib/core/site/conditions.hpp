// The conditions of a rule under `rules:`, `networks:` or `variables:` in the site's file.
// docs/reference/configuration.md describes them; condition_parsing.hpp reads them.
#pragma once

#include "core/site/node_patterns.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace muster::fabric {
enum class Fabric : std::uint8_t;
}

namespace muster::site {

struct Conditions {
  std::string partition = {};  // globs; empty: any
  std::string account = {};
  std::string feature = {};
  std::string group = {};  // a group's name or number
  std::string gpu = {};
  std::size_t min_nodes = 0;  // the fewest nodes that the step may have
  NodePatterns nodes = {};
  std::vector<fabric::Fabric> fabrics = {};  // empty: any

  friend bool operator==(const Conditions&, const Conditions&) = default;
};

// What conditions may ask about a job, and about the node on which they are evaluated. Unknown facts are
// empty, and conditions on them are false.
struct RuleFacts {
  std::string partition = {};
  std::string account = {};
  std::string features = {};  // of rank 0's node, separated by commas
  std::size_t step_nodes = 0;
  std::string node = {};
  // Called only if a rule needs it.
  std::function<bool(const std::string&)> is_in_group = {};  // whether the user is in a group
  std::function<std::vector<std::string>()> gpus = {};       // the models, as the driver names them
  std::function<fabric::Fabric()> fabric = {};
};

// Evaluates the cheap conditions first.
bool matches(const Conditions& conditions, const RuleFacts& facts);

// Whether `wide` applies to every job to which `narrow` applies, as far as this can be decided without a
// job.
bool covers(const Conditions& wide, const Conditions& narrow);

}  // namespace muster::site
