// The environment of muster-preflight-nccl: that of the node's part of the preflight, plus the variables that
// the site's file sets for the ranks, so that NCCL uses the same network as in the training.
#pragma once

#include "core/environment.hpp"

#include <string>
#include <string_view>

namespace muster::site {
struct SiteOptions;
}

namespace muster::preflight {

// What the site's file sets on this node, and the names that NCCL's own files set, for nccl_environment().
// Reads files and may run one of the site's scripts, so call it in a child with a deadline.
std::string site_settings(const site::SiteOptions& files, const Environment& environment,
                          const std::string& node);

// Leaves out the step's variables, which would make libmuster take the program for a rank, and those that
// make NCCL write files. Variables that the user exported take precedence. `interface`: the one on the
// training's network, if known.
Environment nccl_environment(Environment environment, const std::string& node,
                             const std::string& interface, std::string_view site);

}  // namespace muster::preflight
