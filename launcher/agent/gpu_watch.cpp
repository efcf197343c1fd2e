#include "launcher/agent/gpu_watch.hpp"

#include "launcher/topology/nvml_device.hpp"

#include <algorithm>
#include <fstream>
#include <thread>
#include <utility>

#include <fmt/format.h>

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
  std::uint32_t strangers = 0;
};

struct GpuProcess {  // nvmlProcessInfo_v2_t
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};

bool is_mps_server(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/comm", pid));
  std::string name;
  return std::getline(file, name) && name == "nvidia-cuda-mps";  // the kernel keeps 15 letters
}

// 0 if none of the step's processes is among them: NVML may count in another PID namespace.
std::uint32_t strangers_on(const NvmlLibrary& nvml, NvmlDevice device, const std::set<pid_t>& own) {
  constexpr unsigned max_processes = 256;
  std::vector<GpuProcess> processes(max_processes);
  unsigned count = max_processes;
  if (!nvml.call("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, processes.data()))
    return 0;
  processes.resize(std::min(count, max_processes));
  const auto is_own = [&own](const GpuProcess& process) {
    return own.contains(static_cast<pid_t>(process.pid));
  };
  if (std::ranges::none_of(processes, is_own)) return 0;
  return static_cast<std::uint32_t>(
      std::ranges::count_if(processes, [&](const GpuProcess& process) {
        return !is_own(process) && !is_mps_server(static_cast<pid_t>(process.pid));
      }));
}

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
  gpu.strangers = seen.strangers;
  return gpu;
}

// Runs in the bounded child.
std::string watch(const std::string& library, const std::set<pid_t>& own,
                  Clock::time_point deadline) {
  const NvmlLibrary nvml(library);
  std::vector<Seen> all;
  for (auto* const device : topology::nvml_devices(nvml)) {
    // At once, while `own` is still true.
    all.push_back({.device = device, .strangers = strangers_on(nvml, device, own)});
  }
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

GpuWatch::GpuWatch(const std::string& nvml, std::set<pid_t> own, std::chrono::milliseconds time)
    : child_([nvml, own = std::move(own),
              deadline = Clock::now() + 8 * time / 10] { return watch(nvml, own, deadline); },
             time) {}

std::vector<slow::GpuLook> GpuWatch::answer() {
  return slow::gpus_in(child_.answer().value_or(""));
}

}  // namespace muster::agent
