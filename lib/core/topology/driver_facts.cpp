// Reads the few files in /proc and /sys that identify devices and report whether links are up.
#include "core/topology/driver_facts.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace muster::topology {
namespace {

using Path = std::filesystem::path;

std::optional<std::string> first_line(const Path& file) {
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) return std::nullopt;
  return line;
}

// "GPU UUID: \t GPU-029490c8-..." in the NVIDIA driver's information file about a device.
std::optional<std::string> nvidia_uuid(const Path& root, const PciAddress& address) {
  constexpr std::string_view key = "GPU UUID:";
  std::ifstream table(root / "proc/driver/nvidia/gpus" / to_string(address) / "information");
  for (std::string line; std::getline(table, line);) {
    if (!line.starts_with(key)) continue;
    const auto value = line.find_first_not_of(" \t", key.size());
    const bool known = value != line.npos && line.find('?', value) == line.npos;
    if (known) return line.substr(value);
  }
  return std::nullopt;
}

std::optional<std::string> uuid(const Path& root, const Gpu& gpu) {
  if (gpu.vendor == GpuVendor::nvidia) return nvidia_uuid(root, gpu.address);
  if (gpu.vendor == GpuVendor::amd)
    return first_line(root / "sys/bus/pci/devices" / to_string(gpu.address) / "unique_id");
  return std::nullopt;
}

std::vector<Path> entries(const Path& directory) {
  std::error_code error;
  std::vector<Path> found;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error))
    found.push_back(entry->path());
  std::ranges::sort(found);
  return found;
}

// "200 Gb/sec (4X HDR)"
std::optional<double> leading_number(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const double value = std::strtod(text->c_str(), nullptr);
  return value > 0 ? std::optional(value) : std::nullopt;
}

// The port's number is the directory's name.
unsigned number_of(const Path& port) {
  return static_cast<unsigned>(std::strtoul(port.filename().c_str(), nullptr, 10));
}

void add_port(Nic& nic, const Path& port) {
  const auto state = first_line(port / "state");  // "4: ACTIVE"
  if (!state) return;
  const bool active = state->starts_with("4");
  nic.up = nic.up.value_or(false) || active;
  if (active) nic.ports.push_back(number_of(port));
  if (const auto layer = first_line(port / "link_layer"); layer && (active || nic.ports.empty()))
    nic.infiniband = *layer == "InfiniBand";
  if (const auto rate = leading_number(first_line(port / "rate")); rate && active)
    nic.gigabits = std::max(nic.gigabits.value_or(0), *rate);
}

// The state of a NIC without verbs ports (Slingshot) is the state of its interface.
void add_interface(Nic& nic, const Path& interface) {
  const auto state = first_line(interface / "operstate");
  if (!state || *state == "unknown") return;
  nic.up = nic.up.value_or(false) || *state == "up";
  if (const auto megabits = leading_number(first_line(interface / "speed")))
    nic.gigabits = std::max(nic.gigabits.value_or(0), *megabits / 1000);
}

// libfabric names a Slingshot NIC by its device; hwloc before 2.14 names it by its interface.
void name_cxi_device(Nic& nic, const Path& root) {
  std::error_code error;
  for (const auto& device : entries(root / "sys/class/cxi"))
    if (std::filesystem::read_symlink(device / "device", error).filename() ==
        to_string(nic.address))
      nic.name = device.filename();
}

void add_nic_facts(Nic& nic, const Path& root) {
  if (nic.api == NicApi::cxi) name_cxi_device(nic, root);
  const auto ports = entries(root / "sys/class/infiniband" / nic.name / "ports");
  // The ports that the kernel lists replace facts from a file or an earlier scan.
  if (!ports.empty()) {
    nic.up.reset();
    nic.gigabits.reset();
    nic.ports.clear();
  }
  for (const auto& port : ports) add_port(nic, port);
  if (!ports.empty()) return;
  for (const auto& name : nic.networks) add_interface(nic, root / "sys/class/net" / name);
}

}  // namespace

Topology with_driver_facts(Topology topology, const std::filesystem::path& root) {
  for (auto& gpu : topology.gpus)
    if (!gpu.uuid) gpu.uuid = uuid(root, gpu);
  for (auto& nic : topology.nics) add_nic_facts(nic, root);
  return topology;
}

}  // namespace muster::topology
