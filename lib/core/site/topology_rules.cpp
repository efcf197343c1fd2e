#include "core/site/topology_rules.hpp"

#include "core/error.hpp"
#include "core/file/yaml.hpp"
#include "core/site/node_patterns.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::site {
namespace {

constexpr std::array<std::string_view, 3> keys{"cache", "gpus", "rules"};
constexpr std::array<std::string_view, 4> topology_rule_keys{"nodes", "file", "nccl", "map"};
constexpr std::array<std::string_view, 4> map_keys{"gpu", "nic", "cpus", "nics"};

std::string absolute_path(const file::Yaml& value) {
  auto text = value.text();
  if (text.starts_with('/')) return text;
  throw value.error(fmt::format(
      "{}: a relative path may mean a different place on each node; use an absolute path",
      text::in_quotes(text)));
}

CpuSet parse_cpus(const file::Yaml& value) {
  try {
    auto cpus = CpuSet::parse(value.text());
    if (!cpus.empty()) return cpus;
  } catch (const Error& error) {
    throw value.error(error.what());
  }
  throw value.error(
      "an empty CPU list: no CPU would be near the device; write a list such as 0-15,64-79");
}

void set_device(topology::MappedDevice& device, const file::Yaml& value, bool is_nic) {
  if (!device.name.empty())
    throw value.error("a second device in one item; give each device an item of its own");
  device.name = value.text();
  device.is_nic = is_nic;
  device.where = value.where();
}

topology::MappedDevice parse_device(const file::Yaml& mapping) {
  topology::MappedDevice device;
  for (const file::Yaml::Entry& entry : mapping.entries()) {
    if (entry.key == "gpu" || entry.key == "nic") {
      set_device(device, entry.value, entry.key == "nic");
    } else if (entry.key == "cpus") {
      device.cpus = parse_cpus(entry.value);
    } else if (entry.key == "nics") {
      for (const file::Yaml& item : entry.value.items()) device.nics.push_back(item.text());
    } else {
      throw unknown_key(entry, "a map's item", map_keys);
    }
  }
  if (device.name.empty()) throw mapping.error("no device; add 'gpu: INDEX' or 'nic: NAME'");
  if (device.is_nic && !device.nics.empty())
    throw mapping.error("nics: cannot be set for a NIC, only for a GPU ('gpu: INDEX')");
  if (device.cpus.empty() && device.nics.empty())
    throw mapping.error(
        "an item that sets nothing for its device; add 'cpus: LIST' or 'nics: [NAME]'");
  return device;
}

TopologyRule parse_topology_rule(const file::Yaml& mapping) {
  TopologyRule rule;
  for (const file::Yaml::Entry& entry : mapping.entries()) {
    if (entry.key == "nodes") {
      rule.nodes = parse_node_patterns(entry.value);
    } else if (entry.key == "file") {
      rule.file = absolute_path(entry.value);
    } else if (entry.key == "nccl") {
      rule.nccl = absolute_path(entry.value);
    } else if (entry.key == "map") {
      for (const file::Yaml& item : entry.value.items()) rule.map.push_back(parse_device(item));
    } else {
      throw unknown_key(entry, "a topology rule", topology_rule_keys);
    }
  }
  if (rule.file.empty() && rule.nccl.empty() && rule.map.empty())
    throw mapping.error("a rule that sets nothing; add 'file: PATH', 'nccl: PATH' or 'map:'");
  return rule;
}

std::string parse_cache(const file::Yaml& value) {
  auto text = value.text();
  if (text == "auto" || text == "off" || text.starts_with('/')) return text;
  throw value.error(fmt::format("cache {}: not usable; use auto, off or a directory's full path",
                                text::in_quotes(text)));
}

GpuSource parse_gpus(const file::Yaml& value) {
  const auto text = value.text();
  if (text == "gres") return GpuSource::gres;
  if (text == "all") return GpuSource::all;
  throw value.error(
      fmt::format("gpus {}: not a known choice; use gres or all", text::in_quotes(text)));
}

}  // namespace

TopologyRules parse_topology_rules(const file::Yaml& mapping) {
  TopologyRules rules;
  for (const file::Yaml::Entry& entry : mapping.entries()) {
    if (entry.key == "cache") {
      rules.cache = parse_cache(entry.value);
    } else if (entry.key == "gpus") {
      rules.gpus = parse_gpus(entry.value);
    } else if (entry.key == "rules") {
      for (const file::Yaml& item : entry.value.items())
        rules.rules.push_back(parse_topology_rule(item));
    } else {
      throw unknown_key(entry, "topology:", keys);
    }
  }
  return rules;
}

TopologyRule rule_for(const TopologyRules& rules, const std::string& node) {
  TopologyRule all;
  for (const auto& rule : rules.rules) {
    if (!holds_for(rule.nodes, node)) continue;
    if (all.file.empty()) all.file = rule.file;
    if (all.nccl.empty()) all.nccl = rule.nccl;
    if (all.map.empty()) all.map = rule.map;
  }
  return all;
}

}  // namespace muster::site
