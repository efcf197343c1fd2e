#include "core/picture/owners.hpp"

#include "core/contains.hpp"
#include "core/text/amounts.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::picture {
namespace {

bool is_gpu(const topology::Gpu& gpu, const resources::TaskGpu& named) {
  if (named.busid.empty()) return !on_pci(gpu) && named.index == gpu.index;
  if (!on_pci(gpu) || to_string(gpu.address) != named.busid) return false;
  return named.index ? *named.index == gpu.index : true;
}

std::size_t place_of(topology::Topology& topology, const resources::TaskGpu& named) {
  const auto found = std::ranges::find_if(
      topology.gpus, [&](const topology::Gpu& gpu) { return is_gpu(gpu, named); });
  const auto place = static_cast<std::size_t>(found - topology.gpus.begin());
  if (found != topology.gpus.end()) return place;
  topology::Gpu unknown;
  unknown.index = named.index.value_or(0);
  topology.gpus.push_back(unknown);
  return place;
}

void take_gpus(NodeOwners& owners, topology::Topology& topology, const plan::TaskPlan& task,
               std::size_t who) {
  for (const auto& gpu : task.resources.gpus) {
    const auto place = place_of(topology, gpu);
    owners.gpus.resize(topology.gpus.size());
    owners.gpus[place].push_back(who);
  }
}

void take_nics(NodeOwners& owners, const topology::Topology& topology, const plan::TaskPlan& task,
               std::size_t who) {
  for (std::size_t nic = 0; nic < topology.nics.size(); ++nic)
    if (contains(task.resources.nics, topology.nics[nic].name)) owners.nics[nic].push_back(who);
}

std::string word(const Owners& owners, const plan::NodePlan& plan, const char* one,
                 const char* many) {
  constexpr std::size_t max_length = 12;  // lstopo cuts off long text; the legend shows it in full
  if (owners.empty()) return {};
  std::vector<std::uint32_t> ranks;
  for (const auto who : owners) ranks.push_back(plan.tasks[who].rank);
  std::ranges::sort(ranks);
  const auto text = text::ranges(ranks);
  if (text.size() > max_length) return text::count(ranks.size(), "rank");
  return (ranks.size() == 1 ? one : many) + text;
}

}  // namespace

NodeOwners owners_of(topology::Topology& topology, const plan::NodePlan& plan) {
  NodeOwners owners;
  owners.gpus.resize(topology.gpus.size());
  owners.nics.resize(topology.nics.size());
  for (std::size_t who = 0; who < plan.tasks.size(); ++who) {
    const auto& task = plan.tasks[who];
    for (const auto pu : task.resources.cpus) owners.pus[pu].push_back(who);
    for (const auto node : task.resources.numa) owners.numa[node].push_back(who);
    take_gpus(owners, topology, task, who);
    take_nics(owners, topology, task, who);
  }
  return owners;
}

Owners owners_of_pu(const NodeOwners& owners, unsigned pu) {
  const auto found = owners.pus.find(pu);
  return found == owners.pus.end() ? Owners() : found->second;
}

std::string long_text(const Owners& owners, const plan::NodePlan& plan) {
  return word(owners, plan, "rank ", "ranks ");
}

std::string short_text(const Owners& owners, const plan::NodePlan& plan) {
  return word(owners, plan, "r", "r");
}

}  // namespace muster::picture
