#include "launcher/preflight/local_facts.hpp"

#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "launcher/health/gpu_memory.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/small_file.hpp"
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
constexpr std::size_t max_file = 65536;

// A file without a name leaves nothing behind, whatever becomes of this process. Not every file system has
// them.
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

// What the driver wants done with the GPU: nothing (0), or one of several resets. Older drivers do not say.
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

// In Gb/s, of the slowest active port: "100 Gb/sec (4X EDR), 200 Gb/sec (4X HDR)".
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

// The value behind a word at the beginning of a line.
std::uint64_t value_in(const std::string& file, std::string_view word) {
  for (const auto line : text::split(file, '\n')) {
    if (!line.starts_with(word) || line.size() <= word.size() + 1) continue;
    return text::number<std::uint64_t>(line.substr(word.size() + 1)).value_or(0);
  }
  return 0;
}

// Any group above may be the one with the limit.
std::uint64_t throttled_in(const fs::path& mount, std::string_view group, std::string_view word,
                           std::uint64_t unit) {
  std::uint64_t most = 0;
  for (auto path = fs::path(group).relative_path();; path = path.parent_path()) {
    most =
        std::max(most, value_in(os::small_file(mount / path / "cpu.stat", max_file), word) / unit);
    if (path.empty()) return most;
  }
}

bool has_cpu(std::string_view controllers) {
  const auto names = text::split(controllers, ',');
  return std::ranges::find(names, "cpu") != names.end();
}

}  // namespace

std::vector<fs::path> disks_of(const Environment& environment) {
  std::vector<fs::path> disks;
  const auto add = [&](const fs::path& disk) {
    if (!disk.empty() && std::ranges::find(disks, disk) == disks.end()) disks.push_back(disk);
  };
  const auto value = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
  const auto tmp = value("TMPDIR");
  add(tmp.empty() ? "/tmp" : tmp);
  add(value("HOME"));
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
  if (gpus) doctor::add_lines(gpus->answer().value_or(""), facts);
  for (std::size_t i = 0; i < disks.size(); ++i) {
    const auto answer = disks[i]->answer();
    facts.set("disk." + places.disks[i].string(),
              answer.value_or(fmt::format("no answer within {} s", disk_timeout.count() / 1000)));
  }
  return facts;
}

std::uint64_t throttled_time(const fs::path& root) {
  constexpr std::uint64_t nanoseconds = 1000;
  std::uint64_t most = 0;
  const auto mount = root / "sys/fs/cgroup";
  const auto groups = os::small_file(root / "proc/self/cgroup", max_file);
  for (const auto line : text::split(groups, '\n')) {
    const auto parts = text::split(line, ':');
    if (parts.size() < 3) continue;
    if (parts[1].empty()) {
      for (const auto& place : {mount, mount / "unified"})
        most = std::max(most, throttled_in(place, parts[2], "throttled_usec", 1));
    } else if (has_cpu(parts[1])) {
      for (const auto& place : {mount / "cpu", mount / parts[1]})
        most = std::max(most, throttled_in(place, parts[2], "throttled_time", nanoseconds));
    }
  }
  return most;
}

}  // namespace muster::preflight
