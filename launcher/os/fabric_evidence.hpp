// What this node's kernel shows about its network to every user.
#pragma once

#include "core/fabric/fabric.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace muster::os {

// `root` is /, except in tests. Leaves out what cannot be read.
fabric::Evidence read_evidence(const std::filesystem::path& root);

// The models of the GPUs that NVIDIA's driver manages, such as "NVIDIA H100 80GB HBM3".
std::vector<std::string> gpu_models(const std::filesystem::path& root);

}  // namespace muster::os
