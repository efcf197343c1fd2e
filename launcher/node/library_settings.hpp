// What files of the site or the user already set for NCCL and UCX. An environment variable would
// override these files.
#pragma once

#include "core/environment.hpp"
#include "core/resources/task_resources.hpp"

#include <filesystem>
#include <vector>

namespace muster::node {

// Every NAME=VALUE of nccl.conf and ucx.conf, as far as they can be read. `root` is /.
Environment settings_in_files(const std::filesystem::path& root, const Environment& environment);

// Drops the NICs of each library for which such a setting already names the NICs to use.
void respect(const Environment& settings, std::vector<resources::TaskResources>& tasks);

}  // namespace muster::node
