#include "core/explain/topology_devices.hpp"

#include "core/contains.hpp"
#include "core/explain/connection.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace muster::explain {
namespace {

std::string bus_id(const topology::Gpu& gpu) {
  return on_pci(gpu) ? to_string(gpu.address) : "";
}

// A number, but only if several GPUs share one address.
std::string partition_text(const topology::Topology& topology, const topology::Gpu& gpu) {
  const auto partitions = std::ranges::count_if(topology.gpus, [&](const topology::Gpu& other) {
    return on_pci(other) && other.address == gpu.address;
  });
  return partitions > 1 ? fmt::to_string(gpu.partition) : "";
}

std::string linked_text(const topology::Topology& topology, std::size_t gpu) {
  CpuSet indexes;
  for (const auto other : linked_gpus(topology, gpu)) indexes.add(topology.gpus[other].index);
  return indexes.to_string();
}

std::string allowed_text(const TopologyView& view, std::size_t gpu) {
  if (!view.allowed || view.allowed->gpus.empty()) return {};
  return contains(view.allowed->gpus, gpu) ? "yes" : "no";
}

std::string port_text(const topology::Nic& nic) {
  if (!nic.up) return {};
  return *nic.up ? "up" : "down";
}

std::string link_text(const topology::Nic& nic) {
  if (!nic.infiniband) return {};
  return *nic.infiniband ? "InfiniBand" : "Ethernet";
}

std::string near_numa(const topology::Topology& topology, const topology::Attachment& at) {
  return numa_nodes_of(topology, at.cpus).to_string();
}

std::string near_cpus(const topology::Attachment& at) {
  return at.cpus.empty() ? "not known" : at.cpus.to_string();
}

std::string meanings(const std::set<std::string>& words) {
  std::set<std::string_view> said;
  std::string text;
  for (const auto& word : words) {
    const auto meaning = meaning_of_connection(word);
    if (meaning.empty() || !said.insert(meaning).second) continue;
    const auto* const name = word.starts_with("NV") ? "NV#" : word.c_str();
    text += fmt::format("  {:<5} {}\n", name, meaning);
  }
  return text;
}

}  // namespace

std::string gpu_table(const TopologyView& view, const text::Paint& paint) {
  const auto& topology = view.topology;
  text::Columns table({"GPU", "vendor", "bus id", "partition", "allowed", "linked to", "UUID",
                       "NUMA", "near CPUs"});
  for (std::size_t i = 0; i < topology.gpus.size(); ++i) {
    const auto& gpu = topology.gpus[i];
    table.add({fmt::to_string(gpu.index), std::string(to_string(gpu.vendor)), bus_id(gpu),
               partition_text(topology, gpu), allowed_text(view, i), linked_text(topology, i),
               text::printable(gpu.uuid.value_or("")), near_numa(topology, gpu.at),
               near_cpus(gpu.at)});
  }
  return topology.gpus.empty() ? "" : '\n' + table.text(paint);
}

std::string nic_table(const TopologyView& view, const text::Paint& paint) {
  const auto& topology = view.topology;
  text::Columns table(
      {"NIC", "interfaces", "bus id", "RDMA", "link", "port", "Gb/s", "NUMA", "near CPUs"});
  for (const auto& nic : topology.nics) {
    table.add({text::printable(nic.name), text::printable(text::join(nic.networks, ",")),
               to_string(nic.address), nic.rdma ? "yes" : "no", link_text(nic), port_text(nic),
               nic.gigabits ? fmt::format("{:g}", *nic.gigabits) : "", near_numa(topology, nic.at),
               near_cpus(nic.at)});
  }
  return topology.nics.empty() ? "" : '\n' + table.text(paint);
}

std::string relation_table(const TopologyView& view, const text::Paint& paint) {
  const auto& topology = view.topology;
  if (topology.gpus.size() + topology.nics.size() < 2 || topology.gpus.empty()) return {};
  std::vector<std::string> headings{""};
  for (const auto& gpu : topology.gpus) headings.push_back(gpu_name(topology, gpu));
  text::Columns table(std::move(headings));
  std::set<std::string> words;
  const auto add_row = [&](std::string name, const auto& relation) {
    std::vector<std::string> row{std::move(name)};
    for (std::size_t gpu = 0; gpu < topology.gpus.size(); ++gpu) {
      const auto word = relation(gpu);
      words.insert(word);
      row.push_back(word.empty() ? "-" : word);
    }
    table.add(std::move(row));
  };
  for (std::size_t i = 0; i < topology.gpus.size(); ++i)
    add_row(gpu_name(topology, topology.gpus[i]),
            [&](std::size_t gpu) { return gpu_connection(topology, i, gpu); });
  for (std::size_t i = 0; i < topology.nics.size(); ++i)
    add_row(text::printable(topology.nics[i].name),
            [&](std::size_t gpu) { return nic_connection(topology, gpu, i); });
  const auto explained = meanings(words);
  return '\n' + table.text(paint) + (explained.empty() ? "" : '\n' + explained);
}

}  // namespace muster::explain
