#include "launcher/os/fabric_evidence.hpp"

#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "launcher/os/small_file.hpp"

#include <algorithm>
#include <string>
#include <system_error>

namespace muster::os {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_line = 256;

std::string line_of(const fs::path& file) {
  return os::first_line(file, max_line);
}

std::string driver_of(const fs::path& device) {
  std::error_code none;
  return fs::read_symlink(device / "device/driver", none).filename().string();
}

// "400 Gb/sec (4X NDR)", "2.5 Gb/sec (1X SDR)"
std::size_t gigabits_of(const std::string& rate) {
  return text::number<std::size_t>(rate.substr(0, rate.find_first_not_of("0123456789")))
      .value_or(0);
}

void add_rdma(const fs::path& device, fabric::Evidence& evidence) {
  const auto driver = driver_of(device);
  if (driver == "efa") ++evidence.efa_devices;
  for (const auto& port : os::names_in(device / "ports")) {
    const auto folder = device / "ports" / port;
    if (line_of(folder / "state").find("ACTIVE") == std::string::npos) continue;
    evidence.ports.push_back(
        {driver, line_of(folder / "link_layer"), gigabits_of(line_of(folder / "rate"))});
  }
}

// Counts only compute devices, because an NVIDIA display adapter is not a GPU for jobs.
bool is_nvidia_gpu(const fs::path& device) {
  return line_of(device / "vendor") == "0x10de" && line_of(device / "class").starts_with("0x0302");
}

}  // namespace

fabric::Evidence read_evidence(const fs::path& root) {
  const auto sys = root / "sys";
  const auto dmi = sys / "class/dmi/id";
  fabric::Evidence evidence{.vendor = line_of(dmi / "sys_vendor"),
                            .asset_tag = line_of(dmi / "chassis_asset_tag")};
  for (const auto& name : os::names_in(sys / "class/infiniband"))
    add_rdma(sys / "class/infiniband" / name, evidence);
  evidence.slingshot_devices = os::names_in(sys / "class/cxi").size();
  for (const auto& name : os::names_in(sys / "class/net")) {
    const auto driver = driver_of(sys / "class/net" / name);
    if (driver == "gve" || driver == "gvnic") ++evidence.gvnics;
  }
  // Looks at them only if it matters: there may be a thousand devices.
  if (evidence.gvnics == 0) return evidence;
  for (const auto& name : os::names_in(sys / "bus/pci/devices"))
    if (is_nvidia_gpu(sys / "bus/pci/devices" / name)) ++evidence.nvidia_gpus;
  return evidence;
}

std::vector<std::string> gpu_models(const fs::path& root) {
  constexpr std::size_t max_bytes = 4096;
  constexpr std::string_view word = "Model:";
  std::vector<std::string> models;
  const auto gpus = root / "proc/driver/nvidia/gpus";
  for (const auto& name : os::names_in(gpus)) {
    const auto text = os::small_file(gpus / name / "information", max_bytes);
    for (const auto line : text::split(text, '\n')) {
      if (!line.starts_with(word)) continue;
      const auto model =
          line.substr(std::min(line.find_first_not_of(" \t", word.size()), line.size()));
      models.emplace_back(model);
    }
  }
  return models;
}

}  // namespace muster::os
