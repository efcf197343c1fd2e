#include "core/resources/gpu_allocation.hpp"

#include "core/resources/gpu_uuid.hpp"
#include "core/text/list.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace muster::resources {
namespace {

constexpr std::size_t max_gpus = 1024;
constexpr const char* step_variable = "SLURM_STEP_GPUS";

// Slurm sets those that Flags= in the GRES configuration names; by default all except HIP's.
constexpr std::array<const char*, 5> runtime_variables{
    "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
    "ZE_AFFINITY_MASK"};

std::optional<std::size_t> number(std::string_view text) {
  std::size_t value = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::vector<std::string> items(std::string_view text, char separator) {
  std::vector<std::string> some;
  for (const auto part : text::split(text, separator)) {
    if (!part.empty() && some.size() < max_gpus) some.emplace_back(part);
  }
  return some;
}

// "0-3,6": device numbers as Slurm writes them. Items that are not numbers are kept as they are.
std::vector<std::string> expand(std::string_view list) {
  std::vector<std::string> ids;
  for (const auto& item : items(list, ',')) {
    const auto dash = item.find('-');
    const auto first = number(std::string_view(item).substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : number(std::string_view(item).substr(dash + 1));
    if (!first || !last) {
      ids.push_back(item);
      continue;
    }
    for (auto id = *first; id <= *last && ids.size() < max_gpus; ++id) {
      ids.push_back(std::to_string(id));
    }
  }
  return ids;
}

std::string_view after(std::string_view text, std::string_view start) {
  return text.starts_with(start) ? text.substr(start.size()) : text;
}

// The positions of the bits that are set.
std::vector<std::size_t> bits(std::uint64_t mask) {
  std::vector<std::size_t> set;
  for (std::size_t bit = 0; bit < 64; ++bit) {
    if ((mask >> bit & 1U) != 0) set.push_back(bit);
  }
  return set;
}

// "3", "0x3"
std::optional<std::uint64_t> number_or_hex(std::string_view text) {
  if (!text.starts_with("0x")) return number(text);
  std::uint64_t value = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + 2, end, value, 16);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// "0,1*2": an entry per task; "*2" stands for two tasks.
GpuConfinement listed(std::string_view list, bool masks) {
  GpuConfinement result{GpuConfinement::Kind::map};
  for (const auto& item : items(list, ',')) {
    const std::string_view text = item;
    const auto star = text.find('*');
    const auto value = number_or_hex(text.substr(0, star));
    const auto repeats = star == std::string_view::npos ? std::optional<std::size_t>(1)
                                                        : number(text.substr(star + 1));
    if (!value || !repeats || *repeats > max_gpus || result.of_task.size() > max_gpus) {
      return {GpuConfinement::Kind::unknown};
    }
    const auto gpus = masks ? bits(*value) : std::vector<std::size_t>{*value};
    result.of_task.insert(result.of_task.end(), std::max<std::size_t>(1, *repeats), gpus);
  }
  if (result.of_task.empty()) return {GpuConfinement::Kind::unknown};
  return result;
}

std::string variable_of(topology::GpuVendor vendor) {
  switch (vendor) {
    case topology::GpuVendor::nvidia:
      return "CUDA_VISIBLE_DEVICES";
    case topology::GpuVendor::amd:
      return "ROCR_VISIBLE_DEVICES";
    case topology::GpuVendor::intel:
      return "ZE_AFFINITY_MASK";
    case topology::GpuVendor::other:
      return {};
  }
  return {};
}

struct RuntimeList {
  std::string variable;
  std::vector<std::string> names;
};

// The runtimes' variables that are set; the one that the GPU vendor's runtime reads comes first.
std::vector<RuntimeList> runtime_lists(const Environment& environment, const std::string& own) {
  std::vector<RuntimeList> lists;
  for (const auto* const name : runtime_variables) {
    if (const auto* const list = environment.if_set(name))
      lists.push_back({name, items(*list, ',')});
  }
  std::ranges::stable_partition(lists, [&](const auto& list) { return list.variable == own; });
  return lists;
}

// Slurm does not set every variable on every site, so one of them may hold a list that the user exported.
// Slurm's list has a name for each ID: the ID itself, a number from 0 in a cgroup that hides the other GPUs,
// or a UUID.
int likelihood_of_slurms(const RuntimeList& list, const std::vector<std::string>& ids,
                         const std::string& own) {
  const auto& names = list.names;
  const bool possible = names.size() == ids.size() && (names == ids || counts_from_zero(names) ||
                                                       std::ranges::any_of(names, is_uuid));
  if (!possible) return 0;
  if (list.variable == own) return 3;
  return names == ids ? 2 : 1;
}

}  // namespace

bool counts_from_zero(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != std::to_string(i)) return false;
  }
  return true;
}

GpuConfinement parse_gpu_confinement(std::string_view tres_bind) {
  using Kind = GpuConfinement::Kind;
  for (const auto& part : items(tres_bind, '+')) {
    auto text = after(part, "gres/");
    const bool considers_cpus = text.size() != part.size();
    if (!text.starts_with("gpu:")) continue;
    text = after(text, "gpu:");
    for (const auto* const prefix : {"verbose,", "v,"}) text = after(text, prefix);
    if (text == "none" || text.empty()) return {};
    if (text.starts_with("per_task:")) {
      const auto count = number(after(text, "per_task:"));
      if (!count || *count == 0) return {Kind::unknown};
      return {considers_cpus ? Kind::by_cpus : Kind::per_task, *count};
    }
    if (text.starts_with("single:")) return {Kind::by_cpus, 1};
    if (text == "closest") return {Kind::by_cpus};
    for (const auto* const prefix : {"map:", "map_gpu:"}) {
      if (text.starts_with(prefix)) return listed(after(text, prefix), false);
    }
    for (const auto* const prefix : {"mask:", "mask_gpu:"}) {
      if (text.starts_with(prefix)) return listed(after(text, prefix), true);
    }
    return {Kind::unknown};
  }
  return {};
}

Environment gpu_variables(const Environment& environment) {
  Environment found;
  const auto take = [&](const char* name) {
    if (const auto* const value = environment.if_set(name)) found.set(name, *value);
  };
  take(step_variable);
  for (const auto* const name : runtime_variables) take(name);
  return found;
}

std::optional<topology::GpuVendor> only_vendor(const topology::Topology& topology) {
  const auto& gpus = topology.gpus;
  const bool one = !gpus.empty() && std::ranges::all_of(gpus, [&](const topology::Gpu& gpu) {
    return gpu.vendor == gpus.front().vendor;
  });
  return one ? std::optional(gpus.front().vendor) : std::nullopt;
}

GpuGrant gpu_grant(const Environment& environment, std::string_view tres_bind,
                   std::optional<topology::GpuVendor> vendor) {
  GpuGrant grant;
  const auto* const ids = environment.if_set(step_variable);
  // If it is not set, Slurm gave the step no GPUs, and the variables below are the user's own.
  if (ids == nullptr) return grant;
  grant.ids = expand(*ids);
  const auto own = vendor ? variable_of(*vendor) : std::string();
  const auto lists = runtime_lists(environment, own);
  const auto slurms = std::ranges::max_element(lists, {}, [&](const RuntimeList& list) {
    return likelihood_of_slurms(list, grant.ids, own);
  });
  if (slurms != lists.end()) grant.visible = slurms->names;
  // Slurm gives all its variables the same list. AMD's runtimes read the user's other lists as well.
  for (const auto& list : lists) {
    const bool matters = list.names == grant.visible || vendor == topology::GpuVendor::amd;
    if (matters) grant.variables.push_back(list.variable);
  }
  if (grant.visible.empty()) grant.visible = grant.ids;
  if (grant.ids.size() != grant.visible.size()) grant.ids = grant.visible;
  grant.confinement = parse_gpu_confinement(tres_bind);
  return grant;
}

GpuGrant grant_of_all(const topology::Topology& topology, const Environment& environment) {
  GpuGrant grant;
  const auto vendor = only_vendor(topology);
  if (!vendor) return grant;
  const auto own = variable_of(*vendor);
  for (const auto& list : runtime_lists(environment, own)) {
    grant.variables.push_back(list.variable);
    if (grant.visible.empty()) grant.visible = list.names;
  }
  if (grant.variables.empty()) {
    grant.variables.push_back(own);
    for (const auto& gpu : topology.gpus) {
      // Only its UUID distinguishes a MIG instance from the others on its GPU.
      grant.visible.push_back(gpu.uuid && is_mig(*gpu.uuid) ? *gpu.uuid
                                                            : std::to_string(gpu.index));
    }
  }
  // With CUDA, "-1" hides all GPUs.
  if (std::ranges::count(grant.visible, "-1") > 0) return {};
  grant.ids = grant.visible;
  return grant;
}

}  // namespace muster::resources
