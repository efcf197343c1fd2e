// A node's hardware as JSON for programs, version 1.
#include "core/explain/connection.hpp"
#include "core/explain/topology_view.hpp"
#include "core/text/json.hpp"

namespace muster::explain {
namespace {

// Keeps keys in the order in which people want to read them.
using Json = nlohmann::ordered_json;

constexpr int topology_version = 1;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

template <typename Item, typename ToJson>
Json list(const std::vector<Item>& items, const ToJson& to_json) {
  auto all = Json::array();
  for (const auto& item : items) all.push_back(to_json(item));
  return all;
}

Json numa_json(const topology::NumaNode& node) {
  return {
      {"index", node.os_index}, {"cpus", node.cpus.to_string()}, {"memory_only", node.memory_only}};
}

Json core_json(const topology::Core& core) {
  return {{"cpus", core.pus.to_string()},
          {"package", or_null(core.package)},
          {"numa", or_null(core.numa)},
          {"l3", or_null(core.l3)}};
}

Json gpu_json(const topology::Topology& topology, const topology::Gpu& gpu) {
  return {{"vendor", to_string(gpu.vendor)},
          {"index", gpu.index},
          {"busid", on_pci(gpu) ? Json(to_string(gpu.address)) : Json()},
          {"partition", gpu.partition},
          {"uuid", or_null(gpu.uuid)},
          {"cpus", gpu.at.cpus.to_string()},
          {"numa", numa_nodes_of(topology, gpu.at.cpus).to_string()}};
}

Json nic_json(const topology::Topology& topology, const topology::Nic& nic) {
  return {{"name", nic.name},
          {"interfaces", nic.networks},
          {"busid", to_string(nic.address)},
          {"rdma", nic.rdma},
          {"up", or_null(nic.up)},
          {"infiniband", or_null(nic.infiniband)},
          {"gigabits", or_null(nic.gigabits)},
          {"cpus", nic.at.cpus.to_string()},
          {"numa", numa_nodes_of(topology, nic.at.cpus).to_string()}};
}

// One row for each of `rows` devices, with a term or null for each GPU.
template <typename Relation>
Json relations(const topology::Topology& topology, std::size_t rows, const Relation& relation) {
  auto matrix = Json::array();
  for (std::size_t row = 0; row < rows; ++row) {
    auto words = Json::array();
    for (std::size_t gpu = 0; gpu < topology.gpus.size(); ++gpu)
      words.push_back(or_null(relation(row, gpu)));
    matrix.push_back(std::move(words));
  }
  return matrix;
}

Json relations_json(const topology::Topology& topology) {
  return {{"gpus", relations(topology, topology.gpus.size(),
                             [&](std::size_t row, std::size_t gpu) {
                               return gpu_connection(topology, row, gpu);
                             })},
          {"nics", relations(topology, topology.nics.size(), [&](std::size_t nic, std::size_t gpu) {
             return nic_connection(topology, gpu, nic);
           })}};
}

Json allowed_json(const TopologyView& view) {
  if (!view.allowed) return {};
  return {{"whose", view.allowed->whose},
          {"cpus", view.allowed->cpus.to_string()},
          {"gpus", view.allowed->gpus}};
}

}  // namespace

std::string to_json(const TopologyView& view) {
  const auto& topology = view.topology;
  const Json json{
      {"version", topology_version},
      {"node", or_null(view.node)},
      {"source", view.source},
      {"allowed", allowed_json(view)},
      {"cpus", topology.pus.to_string()},
      {"packages",
       list(topology.packages,
            [](const topology::Package& package) {
              return Json{{"index", package.os_index}, {"cpus", package.cpus.to_string()}};
            })},
      {"numa", list(topology.numa_nodes, numa_json)},
      {"l3", list(topology.l3_groups,
                  [](const topology::L3Group& group) {
                    return Json{{"cpus", group.cpus.to_string()}};
                  })},
      {"cores", list(topology.cores, core_json)},
      {"gpus",
       list(topology.gpus, [&](const topology::Gpu& gpu) { return gpu_json(topology, gpu); })},
      {"gpu_links", list(topology.gpu_links,
                         [](const topology::GpuLink& link) {
                           return Json{{"a", link.a}, {"b", link.b}, {"bandwidth", link.bandwidth}};
                         })},
      {"nics",
       list(topology.nics, [&](const topology::Nic& nic) { return nic_json(topology, nic); })},
      {"relations", relations_json(topology)},
      {"warnings", view.warnings}};
  return text::readable_text(json);
}

}  // namespace muster::explain
