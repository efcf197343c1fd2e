#include "core/resources/gpu_count.hpp"

#include "core/resources/gpu_lookup.hpp"
#include "core/resources/gpu_uuid.hpp"
#include "core/text/list.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::resources {
namespace {

using Names = std::vector<std::string>;  // the remaining GPUs by UUID; empty if unknown

std::string_view trimmed(std::string_view name) {
  const auto first = name.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return name.substr(first, name.find_last_not_of(' ') - first + 1);
}

// "GPU-8932f937" stands for the only GPU whose UUID begins with it.
std::optional<std::size_t> place_of(std::string_view name, const Names& left) {
  if (is_uuid(name)) {
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (left[i].starts_with(name)) return i;
    }
    return std::nullopt;
  }
  const auto index = gpu_index(std::string(name));
  return index && *index < left.size() ? std::optional<std::size_t>(*index) : std::nullopt;
}

// The GPUs that remain after one of these variables, in its order.
Names shown_by(std::string_view list, const Names& left) {
  std::vector<std::size_t> places;
  for (const auto item : text::split(list, ',')) {
    const auto place = place_of(trimmed(item), left);
    if (!place) break;
    if (std::ranges::count(places, *place) > 0) return {};
    places.push_back(*place);
  }
  Names shown;
  for (const auto place : places) shown.push_back(left[place]);
  return shown;
}

// Each variable numbers the GPUs that the one before it leaves.
std::vector<const char*> variables_of(topology::GpuVendor vendor, const Environment& environment) {
  // HIP reads CUDA's variable if its own is not set.
  constexpr const char* hip = "HIP_VISIBLE_DEVICES";
  switch (vendor) {
    case topology::GpuVendor::nvidia:
      return {"CUDA_VISIBLE_DEVICES"};
    case topology::GpuVendor::amd:
      return {"ROCR_VISIBLE_DEVICES", environment.contains(hip) ? hip : "CUDA_VISIBLE_DEVICES"};
    case topology::GpuVendor::intel:
      return {"ZE_AFFINITY_MASK"};
    case topology::GpuVendor::other:
      return {};
  }
  return {};
}

Names names_of(const topology::Topology& topology, topology::GpuVendor vendor) {
  Names names;
  for (const auto& gpu : topology.gpus) {
    if (gpu.vendor == vendor) names.push_back(gpu.uuid.value_or(""));
  }
  return names;
}

}  // namespace

std::size_t visible_gpu_count(const topology::Topology& topology, const Environment& environment) {
  using topology::GpuVendor;
  for (const auto vendor : {GpuVendor::nvidia, GpuVendor::amd, GpuVendor::intel}) {
    auto left = names_of(topology, vendor);
    if (left.empty()) continue;
    for (const auto* const name : variables_of(vendor, environment)) {
      if (const auto* const list = environment.if_set(name)) left = shown_by(*list, left);
    }
    return left.size();
  }
  return 0;
}

}  // namespace muster::resources
