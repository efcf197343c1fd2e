// What files of the site or the user already set for NCCL and UCX. An environment variable would
// override these files.
#pragma once

#include "core/environment.hpp"
#include "core/lint/lint.hpp"
#include "core/resources/task_resources.hpp"

#include <filesystem>
#include <vector>

namespace muster::node {

// Every NAME=VALUE of nccl.conf and ucx.conf with its file and line, as far as they can be read; each
// name once, from the file that NCCL prefers. `root` is /.
std::vector<lint::Variable> placed_settings(const std::filesystem::path& root,
                                            const Environment& environment);

// The same without their places.
Environment settings_in_files(const std::filesystem::path& root, const Environment& environment);

// Drops the NICs of each library for which such a setting already names the NICs to use.
void respect(const Environment& settings, std::vector<resources::TaskResources>& tasks);

}  // namespace muster::node
