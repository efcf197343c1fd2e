#include "launcher/topology/scan.hpp"

#include "core/error.hpp"
#include "core/text/quote.hpp"
#include "core/topology/hwloc/xml_check.hpp"
#include "launcher/os/own_cpus.hpp"
#include "launcher/topology/live_partitions.hpp"
#include "launcher/topology/nvml.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace muster::topology {
namespace {

constexpr const char* system_root = "/";

struct Remembered {
  PartitionedTopology found;
  bool from_cache = false;
};

Remembered remembered(cache::TopologyCache& cache, const std::optional<cache::CacheKey>& key,
                      const std::function<Topology()>& read) {
  if (key)
    if (auto known = cache.load(*key)) return {{std::move(*known), true, {}}, true};
  auto found = with_live_partitions(read(), system_root, nvml_library);
  if (key && found.complete) cache.save(*key, found.topology);
  return {std::move(found), false};
}

std::string with_cache(std::string source, bool was_remembered, const cache::TopologyCache& cache) {
  if (was_remembered) source += fmt::format(", from the cache in {}", cache.path());
  return source;
}

// Another machine's topology would send tasks to CPUs that do not exist here.
void check_is_of_this_machine(const Topology& topology, const std::string& file) {
  const auto missing = os::own_cpus() - topology.pus;
  if (missing.empty()) return;
  throw Error(
      fmt::format("topology {} lacks this machine's CPUs {}: it describes another machine; correct "
                  "topology: rules: "
                  "in the site's file",
                  text::in_quotes(file), missing.to_string()));
}

// Removes the devices' own names, which are those of the node on which the topology was captured.
Topology without_identities(Topology topology) {
  for (auto& gpu : topology.gpus) gpu.uuid.reset();
  for (auto& nic : topology.nics) nic.up.reset();
  return topology;
}

Topology read_file(const std::string& file, const file::Trust& trust) {
  const auto xml = read_trusted_file(file, trust, hwloc::max_xml_bytes);
  if (xml) return without_identities(hwloc::parse_xml_topology(*xml, file));
  throw Error(
      fmt::format("topology {} does not exist; correct topology: rules: in the site's "
                  "file",
                  text::in_quotes(file)));
}

ScannedTopology from_file(const std::string& file, const file::Trust& trust,
                          cache::TopologyCache& cache) {
  auto [found, again] =
      remembered(cache, cache::file_key(file, system_root), [&] { return read_file(file, trust); });
  check_is_of_this_machine(found.topology, file);
  return {std::move(found.topology), with_cache(file, again, cache), std::move(found.warnings)};
}

}  // namespace

ScannedTopology scanned_topology(const std::string& file, const file::Trust& trust,
                                 hwloc::Scan scan, cache::TopologyCache& cache) {
  std::vector<std::string> warnings;
  if (!file.empty()) {
    try {
      return from_file(file, trust, cache);
    } catch (const Error& error) {
      warnings.push_back(fmt::format("{}; muster scans this machine instead", error.what()));
    }
  }
  auto [found, again] =
      remembered(cache, cache::scan_key(scan, system_root), [&] { return scan_machine(scan); });
  std::ranges::move(found.warnings, std::back_inserter(warnings));
  return {std::move(found.topology), with_cache("scan of this machine", again, cache),
          std::move(warnings)};
}

}  // namespace muster::topology
