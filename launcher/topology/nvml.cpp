#include "launcher/topology/nvml.hpp"

#include "core/error.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/topology/nvml_device.hpp"

#include <array>
#include <memory>
#include <sstream>
#include <system_error>

namespace muster::topology {
namespace {

namespace fs = std::filesystem;

constexpr unsigned max_instances = 16;

using Device = NvmlDevice;

std::string uuid_of(const NvmlLibrary& nvml, Device device) {
  std::array<char, 96> uuid{};
  const auto length = static_cast<unsigned>(uuid.size());
  return nvml.call("nvmlDeviceGetUUID", device, uuid.data(), length) ? std::string(uuid.data())
                                                                     : "";
}

// One line per GPU: its address, then its instances' UUIDs.
std::string line_of(const NvmlLibrary& nvml, Device device) {
  auto line = pci_address(nvml, device);
  if (line.empty()) return {};
  unsigned count = 0;
  if (!nvml.call("nvmlDeviceGetMaxMigDeviceCount", device, &count)) count = 0;
  for (unsigned i = 0; i < count && i < max_instances; ++i) {
    Device instance = nullptr;
    if (!nvml.call("nvmlDeviceGetMigDeviceHandleByIndex", device, i, &instance)) continue;
    const auto uuid = uuid_of(nvml, instance);
    if (!uuid.empty()) line += ' ' + uuid;
  }
  return line + '\n';
}

std::string ask(const std::string& library) {
  const NvmlLibrary nvml(library);
  std::string text;
  for (auto* const device : nvml_devices(nvml)) text += line_of(nvml, device);
  return text;
}

}  // namespace

bool has_mig_instances(const fs::path& root) {
  std::error_code error;
  for (fs::directory_iterator gpu(root / "proc/driver/nvidia/capabilities", error), end;
       !error && gpu != end; gpu.increment(error)) {
    std::error_code missing;
    for (fs::directory_iterator entry(gpu->path() / "mig", missing); !missing && entry != end;
         entry.increment(missing))
      if (entry->path().filename().string().starts_with("gi")) return true;
  }
  return false;
}

std::optional<MigAnswer> ask_mig(const std::string& library, std::chrono::milliseconds timeout,
                                 std::size_t gpus) {
  const auto text = os::answer_of_child([&] { return ask(library); }, timeout);
  if (!text) return std::nullopt;
  MigAnswer answer;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string address, uuid;
    words >> address;
    auto& instances = answer.instances[PciAddress::parse(address)];
    while (words >> uuid) instances.push_back(uuid);
  }
  answer.complete = answer.instances.size() >= gpus;
  return answer;
}

}  // namespace muster::topology
