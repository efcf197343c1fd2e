// GPUs as shown by the kernel and NVML. NVML is queried in a child, because it hangs if the driver is
// failing.
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/tools/doctor/gather.hpp"
#include "launcher/topology/nvml_library.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <set>

#include <dlfcn.h>
#include <fmt/format.h>

namespace muster::doctor {
namespace {

namespace fs = std::filesystem;
using topology::NvmlLibrary;
using Device = void*;
using Lists = std::map<std::string, std::vector<std::string>>;

constexpr unsigned max_gpus = 64;
constexpr unsigned max_lanes = 32;
constexpr unsigned long long held_back = 0xE8;  // by the hardware: heat, power brake, power

struct FabricInfo {  // nvmlGpuFabricInfo_t
  std::array<unsigned char, 16> cluster;
  int status;
  unsigned clique;
  unsigned char state;
};

// The fact that lists the numbers of the GPUs for which NVML answers a question with yes. A question without
// an answer gets no list.
class GpuAnswers {
 public:
  explicit GpuAnswers(unsigned gpu) : gpu_(fmt::to_string(gpu)) {}
  void add(Lists& lists, const char* name, bool answered, bool is_so) const {
    if (!answered) return;
    auto& list = lists[name];
    if (is_so) list.push_back(gpu_);
  }

 private:
  std::string gpu_;
};

void ask_modes(const NvmlLibrary& nvml, Device device, const GpuAnswers& answers, Lists& lists) {
  unsigned value = 0;
  unsigned pending = 0;
  bool answered = nvml.call("nvmlDeviceGetComputeMode", device, &value);
  answers.add(lists, "gpu.exclusive", answered, value != 0);
  answered = nvml.call("nvmlDeviceGetPersistenceMode", device, &value);
  answers.add(lists, "gpu.not_persistent", answered, value == 0);
  answered = nvml.call("nvmlDeviceGetMigMode", device, &value, &pending);
  answers.add(lists, "gpu.mig", answered, value == 1);
  FabricInfo fabric{};
  answered = nvml.call("nvmlDeviceGetGpuFabricInfo", device, &fabric);
  const bool started = fabric.state != 1 && fabric.state != 2;
  answers.add(lists, "gpu.fabric_bad", answered && fabric.state != 0,
              !started || fabric.status != 0);
}

void ask_health(const NvmlLibrary& nvml, Device device, const GpuAnswers& answers, Lists& lists) {
  constexpr int uncorrected = 1;
  constexpr int since_start = 0;
  unsigned corrected = 0;
  unsigned not_corrected = 0;
  unsigned pending = 0;
  unsigned failed = 0;
  bool answered =
      nvml.call("nvmlDeviceGetRemappedRows", device, &corrected, &not_corrected, &pending, &failed);
  answers.add(lists, "gpu.remap_pending", answered, pending != 0);
  answers.add(lists, "gpu.remap_failed", answered, failed != 0);
  unsigned long long value = 0;
  answered = nvml.call("nvmlDeviceGetTotalEccErrors", device, uncorrected, since_start, &value);
  answers.add(lists, "gpu.ecc", answered, value != 0);
  answered = nvml.call("nvmlDeviceGetCurrentClocksThrottleReasons", device, &value);
  answers.add(lists, "gpu.slowed", answered, (value & held_back) != 0);
}

// For reads between two GPUs: empty if the driver allows them, otherwise the reason why not.
std::string why_no_peers(int status) {
  switch (status) {
    case 0:
      return "";
    case 1:
      return "not supported by this chipset";
    case 2:
      return "not supported by these GPUs";
    case 3:
      return "across sockets";
    case 4:
      return "disabled in the driver's settings";
    default:
      return "not supported";
  }
}

// By number: the pairs that cannot read each other's memory, and whether NVLink connects all pairs that can.
void ask_peers(const NvmlLibrary& nvml, const std::vector<Device>& devices, Lists& lists) {
  constexpr int reads = 0;
  constexpr int by_nvlink = 2;
  bool answered = false;
  bool all_linked = true;
  for (std::size_t a = 0; a < devices.size(); ++a) {
    for (std::size_t b = a + 1; b < devices.size(); ++b) {
      int status = 0;
      if (!nvml.call("nvmlDeviceGetP2PStatus", devices[a], devices[b], reads, &status)) continue;
      answered = true;
      if (const auto why = why_no_peers(status); !why.empty())
        lists["gpu.peer_refused"].push_back(fmt::format("{}-{} ({})", a, b, why));
      const bool linked =
          nvml.call("nvmlDeviceGetP2PStatus", devices[a], devices[b], by_nvlink, &status) &&
          status == 0;
      all_linked = all_linked && linked;
    }
  }
  if (!answered) return;
  lists["gpu.peer_refused"];
  lists["gpu.peer_links"] = {all_linked ? "NVLink" : "PCIe"};
}

std::string ask_nvml(const std::string& name) {
  auto* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return "nvml=not installed\n";
  auto* const start = reinterpret_cast<int (*)()>(dlsym(handle, "nvmlInit_v2"));
  if (const int code = start == nullptr ? 1 : start(); code != 0) {
    constexpr int mismatch = 18;
    return fmt::format(
        "nvml=error {}{}\n", code,
        code == mismatch ? ", the driver and the library have different versions" : "");
  }
  const NvmlLibrary nvml(name);
  unsigned count = 0;
  if (!nvml.call("nvmlDeviceGetCount_v2", &count)) return "nvml=finds no GPUs\n";
  Lists lists;
  std::vector<Device> devices;
  for (unsigned gpu = 0; gpu < std::min(count, max_gpus); ++gpu) {
    Device device = nullptr;
    if (!nvml.call("nvmlDeviceGetHandleByIndex_v2", gpu, &device)) continue;
    devices.push_back(device);
    ask_modes(nvml, device, GpuAnswers(gpu), lists);
    ask_health(nvml, device, GpuAnswers(gpu), lists);
  }
  ask_peers(nvml, devices, lists);
  std::string lines = "nvml=ok\n";
  for (const auto& [fact, gpus] : lists)
    lines += fmt::format("{}={}\n", fact, text::join(gpus, ","));
  return lines;
}

// Parses "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  ...".
std::string version_in(std::string_view line) {
  for (const auto word : text::split(line, ' ')) {
    if (!word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0 &&
        word.find('.') != std::string_view::npos) {
      return std::string(word);
    }
  }
  return {};
}

void add_pci(const Surroundings& surroundings, Facts& facts) {
  const auto gpus = names_in(surroundings.root / "proc/driver/nvidia/gpus");
  facts.set_number("gpu.count", gpus.size());
  std::vector<std::string> narrow;
  std::set<std::string> translated;
  for (const auto& gpu : gpus) {
    const auto folder = "sys/bus/pci/devices/" + gpu;
    const auto width = first_line(surroundings, folder + "/current_link_width");
    const auto whole = first_line(surroundings, folder + "/max_link_width");
    // Virtual machines report 0 or 255 if it is unknown.
    const auto lanes = text::number<unsigned>(width).value_or(0);
    const auto most = text::number<unsigned>(whole).value_or(0);
    if (lanes != 0 && lanes < most && most <= max_lanes)
      narrow.push_back(fmt::format("{} has {} of {} lanes", gpu, width, whole));
    const auto type = first_line(surroundings, folder + "/iommu_group/type");
    if (!type.empty()) translated.insert(type);
  }
  facts.set("gpu.narrow", text::join(narrow, ", "));
  facts.set("iommu.types", text::join(translated, ", "));
}

}  // namespace

void add_gpu_facts(const Surroundings& surroundings, Facts& facts) {
  std::error_code unknown;
  if (fs::exists(surroundings.root / "dev/kfd", unknown)) facts.set("gpu.amd", "yes");
  const auto line = first_line(surroundings, "proc/driver/nvidia/version");
  if (line.empty()) return;
  facts.set("gpu.driver", version_in(line));
  add_pci(surroundings, facts);
  const auto module = surroundings.root / "sys/module";
  const bool has_module = fs::exists(module / "nvidia_peermem", unknown) ||
                          fs::exists(module / "nv_peer_mem", unknown) ||
                          line.find("Open Kernel Module") != std::string::npos;
  facts.set("gpu.peer_memory", has_module ? "yes" : "no");
  const auto lines = os::answer_of_child([&] { return ask_nvml(surroundings.nvml); },
                                         time_for_child(surroundings));
  add_lines(lines.value_or("nvml=no answer in time, or a crash\n"), facts);
}

}  // namespace muster::doctor
