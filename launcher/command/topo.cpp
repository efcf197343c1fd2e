// `muster topo`: shows what muster knows about a node's hardware, and which part of it this task may use.
#include "core/error.hpp"
#include "core/explain/topology_view.hpp"
#include "core/resources/gpu_lookup.hpp"
#include "core/slurm/releases.hpp"
#include "core/topology/hwloc/load.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/site_options.hpp"
#include "launcher/os/output.hpp"
#include "launcher/os/own_cpus.hpp"
#include "launcher/site/site.hpp"
#include "launcher/slurm/own_environment.hpp"
#include "launcher/topology/fill_cache.hpp"
#include "launcher/topology/node_topology.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::command {
namespace {

struct TopoOptions {
  site::SiteOptions site;
  std::string topology;
  std::optional<std::string> cpuset;
  bool json = false;
  bool cache = false;
};

// The task or step in which this command runs, as Slurm names it; empty outside a job.
std::string asker(const Environment& environment) {
  const auto& job = environment.get("SLURM_JOB_ID");
  const auto& step = environment.get("SLURM_STEP_ID");
  const auto& task = environment.get("SLURM_PROCID");
  if (job.empty()) return {};
  if (slurm::is_batch_script(environment)) return fmt::format("this process of job {}", job);
  return fmt::format("task {} of step {}.{}", task.empty() ? "?" : task, job, step);
}

std::string own_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "this machine";
}

explain::TopologyView described(const TopoOptions& options) {
  return {.node = "",
          .source = options.topology,
          .topology = topology::hwloc::load_xml_topology(options.topology)};
}

explain::TopologyView live(const site::Site& site) {
  const auto& environment = site.environment();
  auto node = topology::node_topology({.site = site,
                                       .environment = environment,
                                       .node = environment.get("SLURMD_NODENAME"),
                                       .verbose = true,
                                       .scan = topology::hwloc::Scan::devices});
  explain::TopologyView view{.node = own_name(),
                             .source = std::move(node.source),
                             .topology = std::move(node.topology),
                             .allowed = {},
                             .warnings = std::move(node.warnings)};
  const auto grant = resources::gpu_grant(environment, {}, resources::only_vendor(view.topology));
  const auto gpus = find_gpus(view.topology, grant);
  const auto cpus = os::own_cpus() & view.topology.pus;
  const auto whose = asker(environment);
  if (!whose.empty() || cpus != view.topology.pus)
    view.allowed = {whose.empty() ? "this process" : whose, cpus, gpus};
  return view;
}

CpuSet chosen_cpus(const std::string& list, const CpuSet& all) {
  const auto cpus = CpuSet::parse(list);
  if (cpus.empty() || !all.includes(cpus))
    throw Error(
        fmt::format("--cpuset: the node has CPUs {}; use a subset of them", all.to_string()));
  return cpus;
}

int run_topo(const TopoOptions& options) {
  const site::Site site(options.site, slurm::own_environment(), false);
  if (options.cache) {
    os::print(topology::fill_topology_cache(site) + '\n', "topology");
    return EXIT_SUCCESS;
  }
  auto view = options.topology.empty() ? live(site) : described(options);
  if (options.cpuset) view.allowed = {"--cpuset", chosen_cpus(*options.cpuset, view.topology.pus)};
  os::print(options.json ? to_json(view) : to_table(view, {os::wants_color(stdout)}), "topology");
  return EXIT_SUCCESS;
}

}  // namespace

Command topo_command() {
  auto options = std::make_shared<TopoOptions>();
  Command command("topo", "show a node's CPUs, memory, GPUs and NICs");
  add_typed_site_options(command, options->site);
  command.value("--topology", options->topology, "a node's hwloc XML (default: this machine)")
      .value("--cpuset", options->cpuset,
             "treat these CPUs as the task's (default: those of this process)")
      .flag("--json", options->json, "print JSON (format version 1)")
      .flag("--cache", options->cache,
            "store this node's topology in the site's cache (as root, at boot)");
  return command.action([options] { return run_topo(*options); });
}

}  // namespace muster::command
