// The base comes first: the site's file, or a scan, either of them from the cache. Then come the site's
// rules, for what the base does not say, and last the facts that change while the node runs.
#include "launcher/topology/node_topology.hpp"

#include "core/resources/gpu_allocation.hpp"
#include "core/site/config.hpp"
#include "core/topology/driver_facts.hpp"
#include "launcher/os/rdma_devices.hpp"
#include "launcher/site/site.hpp"
#include "launcher/topology/declared_places.hpp"
#include "launcher/topology/scan.hpp"

#include <array>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::topology {
namespace {

std::string own_host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  const std::string full(name.data());
  return full.substr(0, full.find('.'));
}

void append(std::vector<std::string>& lines, const std::vector<std::string>& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

}  // namespace

hwloc::Scan scan_for(const Environment& environment, site::GpuSource gpus) {
  const bool devices = gpus == site::GpuSource::all ||
                       !resources::gpu_grant(environment, {}).empty() || os::has_rdma("/sys");
  return devices ? hwloc::Scan::devices : hwloc::Scan::cpus;
}

NodeTopology node_topology(const TopologyQuery& query) {
  const auto& rules = query.site.config().topology;
  const auto rule = rule_for(rules, query.node.empty() ? own_host_name() : query.node);
  const auto trust = query.site.trust();
  cache::TopologyCache cache(rules.cache);
  auto scanned = scanned_topology(
      rule.file, trust, query.scan.value_or(scan_for(query.environment, rules.gpus)), cache);
  auto described = with_descriptions(std::move(scanned.topology),
                                     {.rule = rule,
                                      .trust = trust,
                                      .job_file = query.environment.get("NCCL_TOPO_FILE"),
                                      .provider_file = default_nccl_file});
  NodeTopology node{.topology = with_driver_facts(std::move(described.topology), "/"),
                    .source = std::move(scanned.source),
                    .warnings = std::move(scanned.warnings)};
  for (const auto& source : described.sources) node.source += fmt::format("; {}", source);
  append(node.warnings, described.warnings);
  if (!query.verbose) return node;
  append(node.warnings, described.notes);
  append(node.warnings, cache.notes());
  return node;
}

}  // namespace muster::topology
