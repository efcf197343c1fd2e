#include "launcher/tools/preflight/local_facts.hpp"

#include "core/contains.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/tools/health/gpu_memory.hpp"
#include "launcher/tools/preflight/cpu_limits.hpp"
#include "launcher/topology/nvml_library.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace muster::preflight {
namespace {

namespace fs = std::filesystem;
using doctor::Facts;
using os::AskedChild;
using topology::NvmlLibrary;

constexpr unsigned max_gpus = 64;

// A nameless file leaves nothing behind, whatever happens to this process. Not every file system supports
// such files.
std::string try_file(const fs::path& folder) {
  const os::Descriptor nameless(open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (nameless || errno == EACCES || errno == EROFS || errno == ENOSPC || errno == EDQUOT)
    return nameless ? "" : std::strerror(errno);
  const auto name = folder / fmt::format(".muster-preflight.{}", getpid());
  const os::Descriptor file(open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
  if (!file) return std::strerror(errno);
  return unlink(name.c_str()) == 0 ? "" : std::strerror(errno);
}

std::string try_disk(const fs::path& folder) {
  struct statvfs space {};
  if (statvfs(folder.c_str(), &space) != 0) return std::strerror(errno);
  if (space.f_blocks > 0 && space.f_bavail == 0) return "full";
  const auto why = try_file(folder);
  return why.empty() ? "ok" : why;
}

struct FieldValue {  // nvmlFieldValue_t
  unsigned field;
  unsigned scope;
  long long timestamp;
  long long latency;
  int type;
  int result;
  unsigned long long value;
};

// Whether the driver wants the GPU reset. It reports no action (0) or one of several resets; older drivers
// do not report it.
bool wants_recovery(const NvmlLibrary& nvml, void* device) {
  constexpr unsigned recovery_action = 230;
  FieldValue value{};
  value.field = recovery_action;
  if (!nvml.call("nvmlDeviceGetFieldValues", device, 1, &value) || value.result != 0) return false;
  return static_cast<unsigned>(value.value) != 0;
}

std::string gpu_lines(const std::string& library) {
  const NvmlLibrary nvml(library);
  unsigned count = 0;
  if (!nvml.call("nvmlDeviceGetCount_v2", &count)) return {};
  std::vector<std::string> gpus;
  for (unsigned gpu = 0; gpu < std::min(count, max_gpus); ++gpu) {
    void* device = nullptr;
    if (nvml.call("nvmlDeviceGetHandleByIndex_v2", gpu, &device) && wants_recovery(nvml, device))
      gpus.push_back(fmt::to_string(gpu));
  }
  std::string lines;
  if (!gpus.empty()) lines += fmt::format("gpu.recovery={}\n", text::join(gpus, ","));
  if (health::gpu_memory_is_held(library, std::chrono::milliseconds{0}))
    lines += "gpu.memory_held=yes\n";
  return lines;
}

// The rate of the slowest active port in Gb/s, from a text such as "100 Gb/sec (4X EDR), 200 Gb/sec (4X
// HDR)".
std::optional<std::uint64_t> slowest(std::string_view rates) {
  std::optional<std::uint64_t> least;
  for (auto rate : text::split(rates, ',')) {
    while (rate.starts_with(' ')) rate.remove_prefix(1);
    const auto value = text::number<std::uint64_t>(rate.substr(0, rate.find_first_of(" .")));
    if (value) least = std::min(least.value_or(*value), *value);
  }
  return least;
}

void add_network(const LocalPlaces& places, Facts& facts) {
  const auto rate = slowest(facts.text("ib.rates"));
  if (rate) facts.set_number("ib.rate", *rate);
  if (places.interface.empty()) return;
  const auto folder = "sys/class/net/" + places.interface;
  const auto speed =
      text::number<std::uint64_t>(first_line(places.surroundings, folder + "/speed"));
  if (speed && *speed > 0) facts.set_number("net.speed", *speed);
  doctor::add_line(places.surroundings, folder + "/carrier_changes", "net.carrier_changes", facts);
}

void add_cpus(const fs::path& root, Facts& facts) {
  if (const auto cpus = cpus_online(root)) facts.set_number("cpu.online", *cpus);
  if (const auto quota = cpu_quota(root)) facts.set_number("cpu.quota", *quota);
}

}  // namespace

std::vector<fs::path> disks_of(const Environment& environment) {
  std::vector<fs::path> disks;
  const auto add = [&](const fs::path& disk) {
    if (!disk.empty() && !contains(disks, disk)) disks.push_back(disk);
  };
  const auto& tmp = environment.get("TMPDIR");
  add(tmp.empty() ? "/tmp" : tmp);
  add(environment.get("HOME"));
  std::error_code gone;
  add(fs::current_path(gone));
  return disks;
}

Facts local_facts(const LocalPlaces& places) {
  const auto& surroundings = places.surroundings;
  std::vector<std::unique_ptr<AskedChild>> disks;
  for (const auto& disk : places.disks) {
    disks.push_back(std::make_unique<AskedChild>([&] { return try_disk(disk); }, disk_timeout));
  }
  Facts facts;
  const bool nvidia = !first_line(surroundings, "proc/driver/nvidia/version").empty();
  std::optional<AskedChild> gpus;
  if (nvidia) gpus.emplace([&] { return gpu_lines(surroundings.nvml); }, disk_timeout);
  doctor::add_gpu_facts(surroundings, facts);
  doctor::add_fabric_facts(surroundings, facts);
  add_network(places, facts);
  add_cpus(surroundings.root, facts);
  if (gpus) doctor::add_lines(gpus->answer().value_or(""), facts);
  for (std::size_t i = 0; i < disks.size(); ++i) {
    const auto answer = disks[i]->answer();
    facts.set("disk." + places.disks[i].string(),
              answer.value_or(fmt::format("no answer within {} s", disk_timeout.count() / 1000)));
  }
  return facts;
}

}  // namespace muster::preflight
