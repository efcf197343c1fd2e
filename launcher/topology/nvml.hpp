// NVIDIA's management library, the only source for the UUIDs of MIG instances. It is opened at run time if
// it is installed; the build does not need it.
#pragma once

#include "core/topology/gpu_partitions.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace muster::topology {

inline constexpr const char* nvml_library = "libnvidia-ml.so.1";

// Starting the library takes 20 to 100 ms on a healthy node and may hang forever on a failing one.
inline constexpr std::chrono::milliseconds nvml_timeout{2000};

// Whether the driver below `root` has any MIG instance, found by reading a directory. Everything else about
// NVIDIA's GPUs is known without the library: the order from PCI, the UUIDs from the driver's tables.
bool has_mig_instances(const std::filesystem::path& root);

struct MigAnswer {
  MigInstances instances;
  bool complete = false;  // false: a cgroup hid some of the `gpus` GPUs from this process
};

// No value if the library is missing or does not answer in time.
std::optional<MigAnswer> ask_mig(const std::string& library, std::chrono::milliseconds timeout,
                                 std::size_t gpus);

}  // namespace muster::topology
