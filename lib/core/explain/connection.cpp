#include "core/explain/connection.hpp"

#include "core/binding/devices/distance.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace muster::explain {
namespace {

std::string_view word(binding::devices::Path path) {
  switch (path) {
    case binding::devices::Path::pix:
      return "PIX";
    case binding::devices::Path::pxb:
      return "PXB";
    case binding::devices::Path::phb:
      return "PHB";
    case binding::devices::Path::node:
      return "NODE";
    case binding::devices::Path::sys:
      break;
  }
  return "SYS";
}

bool has_place(const topology::Attachment& at) {
  return !at.buses.empty() || !at.cpus.empty();
}

std::string path_between(const topology::Topology& topology, const topology::Attachment& a,
                         const topology::Attachment& b) {
  if (!has_place(a) || !has_place(b)) return {};
  return std::string(word(binding::devices::distance(topology, a, b).path));
}

// hwloc adds up the bandwidths of the links between two GPUs, in MB/s: 20000 for each first-generation
// NVLink, 25000 for each later one.
std::string nvlinks(std::uint64_t bandwidth) {
  constexpr std::uint64_t most = 36;
  for (const std::uint64_t each : {25000, 20000})
    if (bandwidth % each == 0 && bandwidth / each <= most)
      return fmt::format("NV{}", bandwidth / each);
  return "NV";
}

const topology::GpuLink* link_between(const topology::Topology& topology, std::size_t a,
                                      std::size_t b) {
  const auto found = std::ranges::find_if(topology.gpu_links, [&](const topology::GpuLink& link) {
    return link.a == std::min(a, b) && link.b == std::max(a, b);
  });
  return found == topology.gpu_links.end() ? nullptr : &*found;
}

}  // namespace

std::string gpu_connection(const topology::Topology& topology, std::size_t a, std::size_t b) {
  if (a == b) return "X";
  const auto& gpu = topology.gpus[a];
  if (const auto* link = link_between(topology, a, b))
    return gpu.vendor == topology::GpuVendor::nvidia ? nvlinks(link->bandwidth) : "XGMI";
  return path_between(topology, gpu.at, topology.gpus[b].at);
}

std::string nic_connection(const topology::Topology& topology, std::size_t gpu, std::size_t nic) {
  return path_between(topology, topology.gpus[gpu].at, topology.nics[nic].at);
}

std::string gpu_name(const topology::Topology& topology, const topology::Gpu& gpu) {
  const bool one_vendor = std::ranges::all_of(
      topology.gpus, [&](const topology::Gpu& other) { return other.vendor == gpu.vendor; });
  return fmt::format("{}{}", one_vendor ? "GPU" : to_string(gpu.vendor), gpu.index);
}

std::vector<std::size_t> linked_gpus(const topology::Topology& topology, std::size_t gpu) {
  std::vector<std::size_t> linked;
  for (std::size_t other = 0; other < topology.gpus.size(); ++other)
    if (other != gpu && link_between(topology, gpu, other) != nullptr) linked.push_back(other);
  return linked;
}

std::string_view meaning_of_connection(std::string_view word) {
  using Meaning = std::pair<std::string_view, std::string_view>;
  static constexpr std::array<Meaning, 7> meanings{
      {{"NV", "joined by that many NVLinks"},
       {"XGMI", "joined by XGMI"},
       {"PIX", "below one PCIe switch"},
       {"PXB", "below one root port, through several switches"},
       {"PHB", "below one host bridge"},
       {"NODE", "near the same L3, NUMA node or package"},
       {"SYS", "across packages"}}};
  for (const auto& [name, meaning] : meanings)
    if (word.starts_with(name)) return meaning;
  return {};
}

}  // namespace muster::explain
