// What files of the site or the user already tell NCCL and UCX, which take a variable of the
// environment before them.
#pragma once

#include "core/environment.hpp"
#include "core/resources/task_resources.hpp"

#include <filesystem>
#include <vector>

namespace muster::node {

// Every NAME=VALUE of nccl.conf and ucx.conf, as far as they can be read. `root` is /.
Environment settings_in_files(const std::filesystem::path& root, const Environment& environment);

// Without the NICs of a library that such a setting already tells which to use.
void respect(const Environment& settings, std::vector<resources::TaskResources>& tasks);

}  // namespace muster::node
