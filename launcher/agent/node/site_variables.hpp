// The variables that the site's file sets for the ranks on this node.
#pragma once

#include "core/environment.hpp"
#include "core/profile/profile.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace muster::site {
class Site;
}

namespace muster::node {

struct NodeVariables {
  profile::OtherSettings others;
  std::vector<std::string> warnings = {};
};

struct VariablesQuestion {
  const site::Site& site;
  const Environment& environment;  // the job's
  std::string node;
  std::string_view features = {};  // the active features of rank 0's node, comma-separated
  std::size_t nodes = 1;           // number of nodes in the step
  std::filesystem::path root = "/";
};

// Includes what NCCL's and UCX's own files say. Reads the fabric, files and scripts only if a rule needs
// them.
NodeVariables site_variables(const VariablesQuestion& question);

}  // namespace muster::node
