// `muster doctor`: finds problems on this host and on the nodes that break training jobs.
#include "core/doctor/diagnosis.hpp"
#include "core/doctor/text.hpp"
#include "core/error.hpp"
#include "core/slurm/hostlist.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/usage_error.hpp"
#include "launcher/os/host_name.hpp"
#include "launcher/os/output.hpp"
#include "launcher/site/installed.hpp"
#include "launcher/site/site.hpp"
#include "launcher/tools/doctor/doctor_step.hpp"
#include "launcher/tools/doctor/gather.hpp"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace muster::command {
namespace {

constexpr std::chrono::seconds usual_time{30};

struct DoctorOptions {
  bool here = false;
  bool strict = false;
  bool all = false;
  bool json = false;
  std::chrono::seconds seconds = usual_time;
  std::vector<std::string> srun_options;
};

// Inside a step, this host is a node. At a prompt with --here, it may both run tasks and submit jobs.
doctor::Host this_host(const Environment& environment, bool alone) {
  const bool in_step = !environment.get("SLURM_PROCID").empty();
  doctor::Surroundings surroundings;
  surroundings.environment = environment;
  surroundings.asks_controller = !alone || !in_step;
  doctor::Host host{os::host_name(), !alone || !in_step, alone, doctor::gather(surroundings)};
  const auto& node = environment.get("SLURMD_NODENAME");
  if (alone && in_step && !node.empty()) host.name = node;
  return host;
}

doctor::StepOrder order_of(const DoctorOptions& options, const Environment& environment) {
  doctor::StepOrder order;
  order.job = environment.get("SLURM_JOB_ID");
  const auto& nodes = environment.get("SLURM_JOB_NODELIST");
  if (!order.job.empty() && !nodes.empty()) order.nodes = slurm::expand_hostlist(nodes);
  order.srun_options = options.srun_options;
  order.timeout = options.seconds;
  order.program = site::installed_program();
  return order;
}

int run_doctor(const DoctorOptions& options) {
  if (options.here && !options.srun_options.empty())
    throw UsageError("muster doctor --here checks only this host; leave out srun's options");
  if (options.seconds.count() == 0 || options.seconds > max_time)
    throw UsageError("--seconds must be between 1s and 1h");
  const auto environment = site::current_environment();
  const auto order = order_of(options, environment);
  doctor::Examination examination{{this_host(environment, options.here)}};
  if (!options.here) {
    if (order.nodes.empty() && order.srun_options.empty()) {
      os::say(os::Severity::hint,
              "muster checked only this host; `muster doctor -- -N2` also checks two nodes");
    } else {
      doctor::examine_nodes(order, environment, examination);
    }
  }
  const auto diagnosis = doctor::diagnose(examination);
  const text::Paint paint(os::wants_color(stdout));
  os::print(options.json ? to_json(diagnosis) : to_text(diagnosis, options.all, paint), "doctor");
  return doctor::exit_status(diagnosis, options.strict);
}

}  // namespace

Command doctor_command() {
  auto options = std::make_shared<DoctorOptions>();
  Command command("doctor", "find problems that break runs, on this host and on nodes");
  command
      .flag("--here", options->here, "check only this host: a node, or the inside of a container")
      .flag("--strict", options->strict,
            "also exit with code 1 for warnings and for checks that could not run")
      .flag("--all", options->all, "also list checks that pass")
      .flag("--json", options->json, "print JSON (format version 1)")
      .time("--seconds", options->seconds, "time limit for the nodes to answer (default 30s)")
      .hands_on("srun-options", options->srun_options,
                "after --: srun's options for choosing nodes, such as -N3 -p gpu (default: this "
                "job's nodes)");
  return command.action([options] { return run_doctor(*options); });
}

}  // namespace muster::command
