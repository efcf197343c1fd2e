// `muster plan`: shows which rank gets what, and why. Inside an allocation the nodes report it, in a step
// that stops before its program starts; with --layout it is computed here, without Slurm.
#include "core/error.hpp"
#include "core/explain/plan_view.hpp"
#include "core/picture/draw.hpp"
#include "core/picture/frame.hpp"
#include "core/request/precedence.hpp"
#include "core/request/request.hpp"
#include "core/topology/hwloc/load.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/site_options.hpp"
#include "launcher/os/executable.hpp"
#include "launcher/os/output.hpp"
#include "launcher/site/installed.hpp"
#include "launcher/site/job_facts.hpp"
#include "launcher/site/site.hpp"
#include "launcher/tools/picture/svg.hpp"
#include "launcher/tools/plan/described_layout.hpp"
#include "launcher/tools/plan/offline.hpp"
#include "launcher/topology/node_topology.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::command {
namespace {

struct PlanOptions {
  site::SiteOptions site;
  std::optional<std::string> option;
  std::string layout;
  std::string distribution = "block";
  std::string topology;
  std::optional<std::string> gpus;
  std::optional<std::string> cpuset;
  bool json = false;
  std::string svg;
  std::string node;
  std::vector<std::string> srun;
};

topology::Topology this_node(const site::Site& site) {
  return topology::node_topology({.site = site,
                                  .environment = site.environment(),
                                  .node = {},
                                  .scan = topology::hwloc::Scan::devices})
      .topology;
}

int plan_offline(const PlanOptions& options, const site::Site& site,
                 const request::Request& request) {
  if (!options.srun.empty()) {
    throw Error(
        "--layout is for a plan without Slurm, and arguments after -- are for srun; "
        "leave one of the two out");
  }
  const plan::OfflineFacts facts{
      .site = site,
      .request = request,
      .layout = plan::described_layout(options.layout, options.distribution),
      .topology = options.topology.empty() ? this_node(site)
                                           : topology::hwloc::load_xml_topology(options.topology),
      .gpus = options.gpus,
      .cpuset = options.cpuset};
  const auto plan = plan::offline_plan(facts);
  if (!options.svg.empty()) {
    const auto& node = picture::node_to_draw(plan, options.node);
    const auto drawing = picture::draw(facts.topology, node);
    picture::write_picture(picture::picture_of(drawing, plan, node), options.svg);
    if (options.svg == "-") return EXIT_SUCCESS;
  }
  os::print(
      options.json ? explain::to_json(plan) : explain::to_table(plan, {os::wants_color(stdout)}),
      "plan");
  return EXIT_SUCCESS;
}

bool is_offline_only(const PlanOptions& options) {
  return !options.topology.empty() || options.gpus || options.cpuset ||
         options.distribution != "block";
}

// Starts srun as the user would, except for the program.
[[noreturn]] void become_dry_run(const PlanOptions& options, const request::Request& request,
                                 bool inside_allocation) {
  auto dry = request;
  dry.dry_run = true;
  dry.explain = false;
  std::vector<std::string> command{site::installed_program(), "supervise",
                                   "--distributed=" + to_option(dry),
                                   "--config=" + options.site.config,
                                   options.json ? "--plan-format=json" : "--plan-format=table"};
  if (!options.svg.empty()) {
    command.push_back("--plan-svg=" + options.svg);
    if (!options.node.empty()) command.push_back("--plan-node=" + options.node);
  }
  if (options.site.trust_any_owner) command.emplace_back("--trust-any-owner");
  command.emplace_back("--");
  command.emplace_back("srun");
  // Without this, srun would wait for a step that uses the whole allocation, such as the shell in which this
  // command runs.
  if (inside_allocation) command.emplace_back("--overlap");
  command.insert(command.end(), options.srun.begin(), options.srun.end());
  command.emplace_back("true");
  execv(command.front().c_str(), os::exec_pointers(command).data());
  throw Error(fmt::format("cannot start {}; check muster's installation", command.front()));
}

int run_plan(const PlanOptions& options) {
  const site::Site site(options.site, site::current_environment(), true);
  site.settle(site::facts_of_job(site.environment()));
  const auto merged = site.merged_settings(options.option);
  const auto request = site.request(merged);
  if (!options.node.empty() && options.svg.empty())
    throw Error("--node selects the node that --svg=FILE draws; add --svg=FILE");
  if (!options.layout.empty()) return plan_offline(options, site, request);
  if (is_offline_only(options)) {
    throw Error(
        "--topology, --gpus, --cpuset and --distribution describe a plan without Slurm; "
        "add --layout=HOSTLIST:TASKS");
  }
  const bool inside_allocation = site.environment().contains("SLURM_JOB_ID");
  if (options.srun.empty() && !inside_allocation) {
    throw Error(
        "no allocation to plan for; run muster inside salloc or sbatch, give srun's options "
        "after --, or describe a step with --layout=HOSTLIST:TASKS");
  }
  become_dry_run(options, request, inside_allocation);
}

}  // namespace

Command plan_command() {
  auto options = std::make_shared<PlanOptions>();
  Command command("plan", "show each rank's node, CPUs, GPUs and variables, and why");
  add_typed_site_options(command, options->site);
  command
      .value_or_nothing("--distributed", options->option,
                        "profile and keys, as for srun (default: MUSTER_DISTRIBUTED)")
      .value("--layout", options->layout,
             "HOSTLIST:TASKS[,...]: the layout of a hypothetical step, to plan without Slurm")
      .value("--distribution", options->distribution, "with --layout: block, cyclic or plane=N")
      .value("--topology", options->topology,
             "with --layout: the nodes' hwloc XML (default: this machine)")
      .value("--gpus", options->gpus,
             "with --layout: the GPUs that the step has on each node (indexes or bus ids)")
      .value("--cpuset", options->cpuset, "with --layout: the CPUs that the step has on each node")
      .flag("--json", options->json, "print JSON (format version 1)")
      .value("--svg", options->svg,
             "also draw a node and its ranks to this file; - means standard output")
      .value("--node", options->node, "with --svg: which node (default: rank 0's)")
      .hands_on("srun", options->srun, "after --: options for srun (needs Slurm)");
  return command.action([options] { return run_plan(*options); });
}

}  // namespace muster::command
