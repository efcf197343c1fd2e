#include "launcher/agent/gpu_watch.hpp"

#include "launcher/topology/nvml_device.hpp"

#include <thread>

namespace muster::agent {
namespace {

using Clock = std::chrono::steady_clock;
using topology::NvmlDevice;
using topology::NvmlLibrary;

constexpr std::chrono::milliseconds interval{100};

// NVML's reasons for a clock that is lower than it could be.
constexpr unsigned long long idle = 0x1;
constexpr unsigned long long power_limit = 0x4;
constexpr unsigned long long too_hot = 0x20 | 0x40;  // as the driver or the hardware decides
constexpr unsigned long long power_brake = 0x80;

struct Seen {
  NvmlDevice device = nullptr;
  std::uint64_t times = 0, idle = 0, hot = 0, braked = 0, capped = 0;
  std::uint64_t clocks = 0, megahertz = 0;
};

void look(const NvmlLibrary& nvml, Seen& seen) {
  unsigned long long reasons = 0;
  if (nvml.call("nvmlDeviceGetCurrentClocksThrottleReasons", seen.device, &reasons)) {
    const auto count = [reasons](std::uint64_t& sum, unsigned long long reason) {
      if ((reasons & reason) != 0) ++sum;
    };
    ++seen.times;
    count(seen.idle, idle);
    count(seen.hot, too_hot);
    count(seen.braked, power_brake);
    count(seen.capped, power_limit);
  }
  constexpr int multiprocessors = 1;
  unsigned clock = 0;
  if (!nvml.call("nvmlDeviceGetClockInfo", seen.device, multiprocessors, &clock)) return;
  ++seen.clocks;
  seen.megahertz += clock;
}

slow::GpuLook result(const NvmlLibrary& nvml, const Seen& seen) {
  constexpr int of_the_chip = 0;
  constexpr std::uint64_t thousandths = 1000;
  slow::GpuLook gpu{.busid = topology::pci_address(nvml, seen.device)};
  const auto share = [&seen](std::uint64_t times) {
    return static_cast<std::uint32_t>(seen.times == 0 ? 0 : thousandths * times / seen.times);
  };
  gpu.idle = share(seen.idle);
  gpu.hot = share(seen.hot);
  gpu.braked = share(seen.braked);
  gpu.capped = share(seen.capped);
  if (seen.clocks > 0) gpu.megahertz = static_cast<std::uint32_t>(seen.megahertz / seen.clocks);
  unsigned celsius = 0;
  if (nvml.call("nvmlDeviceGetTemperature", seen.device, of_the_chip, &celsius))
    gpu.celsius = celsius;
  // Given no space, NVML fails unless there is none, and says how many there are.
  unsigned processes = 0;
  static_cast<void>(nvml.call("nvmlDeviceGetComputeRunningProcesses_v3", seen.device, &processes,
                              static_cast<void*>(nullptr)));
  gpu.processes = processes;
  return gpu;
}

// Runs in the bounded child.
std::string watch(const std::string& library, Clock::time_point deadline) {
  const NvmlLibrary nvml(library);
  std::vector<Seen> all;
  for (auto* const device : topology::nvml_devices(nvml)) all.push_back({.device = device});
  if (all.empty()) return {};
  do {
    for (auto& seen : all) look(nvml, seen);
    std::this_thread::sleep_for(interval);
  } while (Clock::now() < deadline);
  std::vector<slow::GpuLook> gpus;
  for (const auto& seen : all) gpus.push_back(result(nvml, seen));
  return slow::to_text(gpus);
}

}  // namespace

GpuWatch::GpuWatch(const std::string& nvml, std::chrono::milliseconds time)
    : child_([nvml, deadline = Clock::now() + 8 * time / 10] { return watch(nvml, deadline); },
             time) {}

std::vector<slow::GpuLook> GpuWatch::answer() {
  return slow::gpus_in(child_.answer().value_or(""));
}

}  // namespace muster::agent
