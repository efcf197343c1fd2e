// The conditions of a rule in the site's file, of `rules:`, `networks:` and `variables:` alike.
// docs/configuration.md describes them; condition_parsing.hpp reads them.
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
  std::string group = {};  // its name or number
  std::string gpu = {};
  std::size_t min_nodes = 0;  // of the step
  NodePatterns nodes = {};
  std::vector<fabric::Fabric> fabrics = {};  // empty: any

  friend bool operator==(const Conditions&, const Conditions&) = default;
};

// What conditions may ask of a job and of the node on which they are decided. What is not known here is
// empty, and no condition on it holds.
struct RuleFacts {
  std::string partition = {};
  std::string account = {};
  std::string features = {};  // of rank 0's node, separated by commas
  std::size_t step_nodes = 0;
  std::string node = {};
  // Asked only where a rule needs it.
  std::function<bool(const std::string&)> is_in_group = {};  // of the user
  std::function<std::vector<std::string>()> gpus = {};       // models, as the driver names them
  std::function<fabric::Fabric()> fabric = {};
};

// The cheap questions first.
bool matches(const Conditions& conditions, const RuleFacts& facts);

// Whether every job that `narrow` is for is one that `wide` is for, as far as that can be seen without one.
bool covers(const Conditions& wide, const Conditions& narrow);

}  // namespace muster::site
