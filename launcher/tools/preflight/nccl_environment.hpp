// The variables of muster-preflight-nccl: those of the node's part of the preflight, and those that the
// site's file gives the ranks, so that NCCL uses the same network as in the training.
#pragma once

#include "core/environment.hpp"

#include <string>
#include <string_view>

namespace muster::site {
struct SiteOptions;
}

namespace muster::preflight {

// What the site's file sets on this node, and the names that NCCL's own files set: for nccl_environment().
// Reads files, and may run a script of the site's: for a child with a deadline.
std::string site_settings(const site::SiteOptions& files, const Environment& environment,
                          const std::string& node);

// Without the step's variables, by which libmuster would take the program for a rank, and without those by
// which NCCL would write files. Variables that the user exported come first. `interface`: of the training's
// network, if it is known.
Environment nccl_environment(Environment environment, const std::string& node,
                             const std::string& interface, std::string_view site);

}  // namespace muster::preflight
