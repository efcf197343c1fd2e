#include "launcher/tools/health/gpu_memory.hpp"

#include "launcher/os/bounded_child.hpp"
#include "launcher/topology/nvml.hpp"
#include "launcher/topology/nvml_device.hpp"

#include <algorithm>
#include <thread>

namespace muster::health {
namespace {

using Clock = std::chrono::steady_clock;
using Device = topology::NvmlDevice;

constexpr std::chrono::milliseconds memory_interval{100};

struct Memory {  // nvmlMemory_v2_t
  unsigned version;
  unsigned long long total, reserved, free, used;
};

struct OldMemory {  // nvmlMemory_t
  unsigned long long total, free, used;
};

bool holds(const topology::NvmlLibrary& nvml, Device device) {
  unsigned processes = 0;
  // NVML fails if there are any processes, because it was given no space for them.
  if (!nvml.call("nvmlDeviceGetComputeRunningProcesses_v3", device, &processes,
                 static_cast<void*>(nullptr)) ||
      processes > 0) {
    return false;
  }
  Memory memory{};
  memory.version = sizeof(Memory) | (2U << 24U);
  if (nvml.call("nvmlDeviceGetMemoryInfo_v2", device, &memory)) {
    return is_held(memory.used, memory.total);
  }
  OldMemory old{};
  return nvml.call("nvmlDeviceGetMemoryInfo", device, &old) && is_held(old.used, old.total);
}

bool any_holds(const topology::NvmlLibrary& nvml) {
  return std::ranges::any_of(topology::nvml_devices(nvml),
                             [&nvml](Device device) { return holds(nvml, device); });
}

// Runs in the bounded child.
std::string wait_for_memory(const std::string& library, Clock::time_point deadline) {
  const topology::NvmlLibrary nvml(library);
  while (any_holds(nvml)) {
    if (Clock::now() >= deadline) return "held";
    std::this_thread::sleep_for(memory_interval);
  }
  return "free";
}

}  // namespace

bool is_held(std::uint64_t used, std::uint64_t total) {
  constexpr std::uint64_t always_in_use = std::uint64_t{1} << 30;
  constexpr std::uint64_t small_part = 20;
  return used > std::max(always_in_use, total / small_part);
}

bool gpu_memory_is_held(const std::string& nvml, std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  const auto answer = os::answer_of_child([&] { return wait_for_memory(nvml, deadline); },
                                          timeout + topology::nvml_timeout);
  return answer == "held";
}

}  // namespace muster::health
