// Uses the OS devices of backends first; if no backend was available, PCI class and driver.
#include "core/topology/hwloc/gpu_detection.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace muster::topology::hwloc {
namespace {

// Their indexes match the output of the vendor's tools. CUDA and OpenCL count differently (fastest
// first, by platform), so they only show that a GPU exists.
constexpr std::array<std::string_view, 4> counting_backends{"nvml", "rsmi", "amdsmi", "ze"};
constexpr std::array<std::string_view, 2> other_backends{"cuda", "opencl"};

std::optional<unsigned> number_after(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size());
  unsigned value = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || rest != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<std::string> uuid_of(const OsDevice& device) {
  for (const char* key : {"NVIDIAUUID", "AMDUUID", "LevelZeroUUID"})
    if (auto uuid = device.info(key)) return uuid;
  return std::nullopt;
}

std::vector<GpuIdentity> counted_by(std::string_view backend, const PciObject& device) {
  std::vector<GpuIdentity> found;
  for (const auto& carried : device.carries)
    if (const auto index = number_after(backend, carried.name))
      found.push_back({index, uuid_of(carried), carried.object});
  std::ranges::sort(found, {}, &GpuIdentity::index);
  return found;
}

bool is_seen_by_a_compute_runtime(const PciObject& device) {
  return std::ranges::any_of(device.carries, [](const OsDevice& carried) {
    return std::ranges::any_of(other_backends, [&](std::string_view backend) {
      return carried.kind == OsDevice::Kind::gpu && carried.name.starts_with(backend);
    });
  });
}

// A server's management controller is a VGA device as well, but it has no render node.
bool is_gpu_by_class(const PciObject& device) {
  constexpr unsigned vga = 0x0300;
  constexpr unsigned controller_3d = 0x0302;
  constexpr unsigned other_display = 0x0380;
  constexpr unsigned accelerator = 0x1200;
  switch (gpu_vendor(device)) {
    case GpuVendor::nvidia:
      return device.device_class == vga || device.device_class == controller_3d;
    case GpuVendor::amd:
      return device.device_class == other_display || device.device_class == accelerator ||
             (device.device_class == vga && render_node(device));
    case GpuVendor::intel:
      return device.device_class == other_display;
    case GpuVendor::other:
      return false;
  }
  return false;
}

bool is_display_or_accelerator(const PciObject& device) {
  return (device.device_class >> 8) == 0x03 || (device.device_class >> 8) == 0x12;
}

}  // namespace

GpuVendor gpu_vendor(const PciObject& device) {
  switch (device.vendor) {
    case 0x10de:
      return GpuVendor::nvidia;
    case 0x1002:
      return GpuVendor::amd;
    case 0x8086:
      return GpuVendor::intel;
    default:
      return GpuVendor::other;
  }
}

std::optional<unsigned> render_node(const PciObject& device) {
  for (const auto& carried : device.carries)
    if (const auto number = number_after("renderD", carried.name)) return number;
  return std::nullopt;
}

std::vector<GpuIdentity> gpus_on(const PciObject& device) {
  for (const auto backend : counting_backends)
    if (auto found = counted_by(backend, device); !found.empty()) return found;
  if (!is_display_or_accelerator(device)) return {};
  if (is_seen_by_a_compute_runtime(device) || is_gpu_by_class(device)) return {GpuIdentity{}};
  return {};
}

}  // namespace muster::topology::hwloc
