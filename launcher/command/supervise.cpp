// `muster supervise -- srun ARGS...`: validates before anything is allocated, then runs srun with what
// distributed training needs. The shim replaces srun with it; it can also be called by hand.
#include "core/error.hpp"
#include "core/option/keys.hpp"
#include "core/profile/profile.hpp"
#include "core/remark/idle_spares.hpp"
#include "core/remark/misspelled_variable.hpp"
#include "core/request/precedence.hpp"
#include "core/request/request.hpp"
#include "core/request/step_streams.hpp"
#include "core/site/config.hpp"
#include "core/srun/chosen_binding.hpp"
#include "core/srun/components.hpp"
#include "core/srun/ctrl_c.hpp"
#include "core/srun/exported_variables.hpp"
#include "core/srun/het_step.hpp"
#include "core/srun/job_of_line.hpp"
#include "core/srun/kill_on_bad_exit.hpp"
#include "core/srun/line.hpp"
#include "core/srun/test_only.hpp"
#include "launcher/agent/node/variable_policy.hpp"
#include "launcher/channel/step/another_attempt.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/help.hpp"
#include "launcher/command/site_options.hpp"
#include "launcher/os/output.hpp"
#include "launcher/site/site.hpp"
#include "launcher/slurm/job_request.hpp"
#include "launcher/slurm/own_environment.hpp"
#include "launcher/slurm/pmix_library.hpp"
#include "launcher/slurm/slurm_mpi.hpp"
#include "launcher/slurm/srun.hpp"
#include "launcher/slurm/srun_environment.hpp"
#include "launcher/supervisor/attempts/attempts.hpp"
#include "launcher/supervisor/attempts/job_end.hpp"
#include "launcher/supervisor/attempts/own_allocation.hpp"
#include "launcher/supervisor/attempts/renewal.hpp"
#include "launcher/supervisor/attempts/requeue.hpp"
#include "launcher/supervisor/groups/group_run.hpp"
#include "launcher/supervisor/successor/takeover.hpp"
#include "launcher/supervisor/supervision/launcher_check.hpp"
#include "launcher/supervisor/supervision/logs.hpp"
#include "launcher/supervisor/supervision/plan_view.hpp"
#include "launcher/supervisor/supervision/program_check.hpp"
#include "launcher/supervisor/supervision/remarks.hpp"
#include "launcher/supervisor/supervision/report_output.hpp"
#include "launcher/supervisor/supervision/supervision.hpp"
#include "wire/variables.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::command {
namespace {

struct SuperviseOptions {
  site::SiteOptions site;
  std::optional<std::string> option;
  std::size_t program_index = 0;
  std::string plugin_directory;  // Slurm's, if the shim knows it
  std::string mpi_default;       // the site's MpiDefault, if the shim knows it
  std::vector<std::string> command;
  supervision::PlanStyle plan_style;
  std::optional<restart::Handover> inherited;
  std::optional<std::string> left;  // by the program of another version
};

constexpr std::array plan_formats{supervision::PlanFormat::table, supervision::PlanFormat::json};

void say(const request::Request& request, const std::string& line) {
  if (request.verbose) os::say(os::Severity::progress, line);
}

void say_inherited_binding(const request::Request& request, const Environment& environment) {
  for (const auto& name : srun::inherited_binding(environment)) {
    if (name != "SLURM_CPU_BIND" && name != "SLURM_MEM_BIND") continue;
    say(request, fmt::format("{} is left over from a task of another step: ignored", name));
  }
}

// Gives advice before anything is allocated; the nodes make the final decision.
void check_environment(const site::Site& site, const srun::Command& command) {
  if (srun::hands_on_everything(command, site.environment()))
    node::check_variables(site.config().policy.variables, site.environment(), {});
}

// The keys that were set for the whole job, as far as they fit this step. A successor's streams are not the
// user's.
request::Request fitting_request(const site::Site& site, const request::MergedSettings& asked,
                                 const srun::Command& command, bool is_successor) {
  auto streams = supervision::streams_of(command, site.environment());
  if (is_successor) streams.piped = false;
  auto adapted =
      request::adapt_to_streams(site.request(asked), streams, command, site.config().policy);
  if (!attempts::is_in_own_allocation(site.environment()))
    supervision::remark(command, adapted.line);
  return std::move(adapted.request);
}

request::Request validated_request(const site::Site& site, const request::MergedSettings& asked,
                                   const srun::Command& command, bool is_successor) {
  supervision::remark(command, site.warning());
  auto request = fitting_request(site, asked, command, is_successor);
  check_environment(site, command);
  if (auto why = supervision::launcher_fault(command); !why.empty()) throw Error(std::move(why));
  const auto fault = supervision::program_fault(command, site.environment(),
                                                profile::profile_names(site.profile_directories()));
  if (!fault.why.empty() && fault.is_certain) throw Error(fault.why);
  // The supervisor outside the allocation has already reported this.
  if (attempts::is_in_own_allocation(site.environment())) return request;
  supervision::remark(command, fault.why);
  supervision::remark(command, supervision::launcher_remark(command, site.profile(request.profile),
                                                            site.environment()));
  supervision::remark(command, remark::idle_spares(request));
  supervision::remark(command, remark::misspelled_variable(site.environment()));
  if (request.report && request.supervise && !request.dry_run)
    supervision::remark(command, supervision::report_obstacle(*request.report));
  return request;
}

// The last line of a failure report repeats this, because by then the line from the launch is far above.
std::string doubt_about(const site::Site& site, const request::Request& request,
                        const srun::Command& command) {
  if (supervision::is_quiet(command)) return {};
  return supervision::launcher_remark(command, site.profile(request.profile), site.environment());
}

bool slurm_has_pmix(const std::string& plugin_directory, const std::string& srun) {
  const auto found = slurm::has_pmix_in(plugin_directory);
  return found ? *found : slurm::has_pmix(srun);
}

// On a site without PMIx this is true of every launch, so only users who need PMIx are told.
void say_without_pmix(const request::Request& request, const srun::Command& command,
                      std::string_view why) {
  if (request.profile != "mpi" && !request.verbose) return;
  supervision::remark(
      command,
      fmt::format("{}; continuing without PMIx, which torch and most other frameworks do not need",
                  why));
}

bool use_pmix(const site::Site& site, const request::Request& request, const srun::Command& command,
              const std::string& plugin_directory, std::string_view mpi_default) {
  if (slurm::chose_mpi(site.environment(), command)) return false;
  if (!slurm::leaves_mpi_open(mpi_default)) return false;
  // Before 24.05 Slurm's mpi/pmix starts one agent for each component in the same variables, and srun may
  // then wait forever at the step's end. If PMIx is needed there, the user gives --mpi=pmix.
  if (srun::heterogeneous(command)) return false;
  if (!slurm_has_pmix(plugin_directory, command.words.front())) {
    say_without_pmix(request, command,
                     "this Slurm installation has no PMIx plugin (see `srun --mpi=list`)");
    return false;
  }
  if (slurm::has_libpmix(plugin_directory)) return true;
  say_without_pmix(request, command,
                   "Slurm's PMIx plugin cannot find the libpmix that it needs (see "
                   "`muster doctor`)");
  return false;
}

supervision::SupervisionPolicy policy_of(const site::Site& site, const request::Request& request,
                                         const srun::Command& command) {
  const auto chosen = srun::chose_kill_on_bad_exit(site.environment(), command);
  return {.ends_by_first_failure = chosen.value_or(true),
          .grace = request.grace,
          .heartbeat = request.heartbeat.limit,
          .loss_time = step::node_loss_timeout(request),
          .another_may_start = step::another_may_start(request),
          .may_restart = request.restarts > 0,
          .term_stops = attempts::wants_requeue(request),
          .first_ctrl_c_ends = srun::first_ctrl_c_ends(site.environment(), command),
          .interactive = supervision::is_interactive(command),
          .job = srun::job_of_line(command, site.environment())};
}

// Each of several programs that are groups of their own is started as a step of its own.
bool use_pmix_in_each(const site::Site& site, const request::Request& request,
                      const srun::Command& command, const SuperviseOptions& options) {
  const auto first = request.groups ? srun::component_commands(command).front() : command;
  return use_pmix(site, request, first, options.plugin_directory, options.mpi_default);
}

int run(const SuperviseOptions& options, const site::Site& site, const request::Request& request) {
  const srun::Command command{options.command, options.program_index};
  supervision::check_logs(request, command, site.environment());
  groups::check(site, request, command);
  attempts::refuse_requeue_outside_jobs(request, command, site.environment());
  const bool needs_allocation = attempts::needs_allocation(request, command, site.environment());
  if (srun::is_test_only(command)) {
    slurm::become_srun(
        srun::estimate_command(command, site.environment(), needs_allocation ? request.spares : 0));
  }
  if (needs_allocation) {
    return attempts::run_in_own_allocation(request, command, site.environment());
  }
  const bool pmix = use_pmix_in_each(site, request, command, options);
  say(request,
      fmt::format("PMIx: {}; request: {}", pmix ? "on" : "chosen by srun", to_option(request)));
  say_inherited_binding(request, site.environment());
  const auto policy = policy_of(site, request, command);
  const attempts::Launch launch{.site = site,
                                .request = request,
                                .command = command,
                                .plan_style = options.plan_style,
                                .policy = policy,
                                .pmix = pmix,
                                .files = options.site,
                                .inherited = options.inherited,
                                .renewed = attempts::renewed_by(options.left, policy.wall_start),
                                .doubt = doubt_about(site, request, command)};
  return request.groups ? groups::run(launch) : attempts::run(launch);
}

// srun's shim recognises its supervisor by the guard variable and never starts another one. If it ever did,
// one error would be better than an endless chain of processes.
void refuse_to_nest(const Environment& environment) {
  if (environment.get(wire::supervisor_variable) == fmt::to_string(getppid())) {
    throw Error(
        "srun already has a supervisor and asked for another one; this is a bug in muster: "
        "please report it with the srun command line, and use supervise=off until it is fixed");
  }
}

// If the option occurs several times, the last one counts; it also overrides the option of the job's sbatch,
// which reaches the nodes by itself.
std::vector<std::string> without_muster(const srun::Command& command) {
  auto words = command.words;
  const auto end = srun::read_line(command).end;
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(end), "--distributed=off");
  return words;
}

// Of several programs, the last one's option reaches this process; but if the first one's has groups=, it is
// the run's.
std::optional<std::string> option_of_run(const site::Site& site, const SuperviseOptions& options,
                                         const srun::Command& command) {
  if (!srun::has_components(command)) return options.option;
  const auto line = srun::read_line(command);
  const auto* const first = line.last("distributed");
  if (first == nullptr) return options.option;
  const auto merged = site.merged_settings(first->value);
  const bool has_groups = merged.action == option::Action::launch &&
                          merged.settings.at(option::Key("groups")).origin == Origin::option;
  return has_groups ? first->value : options.option;
}

// With --async, srun hands its step to the job's step manager and exits (Slurm 26.05). Its plugins never
// learn where the ranks run, and nobody waits for them.
[[noreturn]] void leave_asynchronous(const srun::Command& command) {
  if (srun::read_line(command).has("distributed")) {
    throw Error(
        "srun --async exits before its step begins, so muster could neither gather the ranks nor "
        "report on them; leave out --async and write `srun ... &` instead, or use "
        "--distributed=off");
  }
  supervision::remark(command,
                      "srun --async exits before its step begins, so muster leaves it alone");
  slurm::become_srun(without_muster(command));
}

int supervise_srun(const SuperviseOptions& options) {
  const site::Site site(options.site, slurm::own_environment(), true);
  refuse_to_nest(site.environment());
  const srun::Command command{options.command, options.program_index};
  site.settle(slurm::requested_job(command, site.environment(), site.config().rules));
  const auto merged = site.merged_settings(option_of_run(site, options, command));
  if (merged.action == option::Action::help) {
    show_option_help(site);
    return 0;
  }
  const auto mpi_daemon = supervision::mpi_daemon_remark(command);
  supervision::remark(command, mpi_daemon);
  if (!mpi_daemon.empty()) slurm::become_srun(without_muster(command));
  if (merged.action == option::Action::off) slurm::become_srun(options.command);
  if (supervision::is_asynchronous(command)) leave_asynchronous(command);
  return run(options, site,
             validated_request(site, merged, command, options.inherited.has_value()));
}

// srun blocks the signals for which it waits, and the program that replaces it inherits that. Anything
// started here would then ignore Ctrl-C.
void unblock_signals() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// An error in the successor ends the job, because there is no other process left to supervise it.
int supervise_inherited(const SuperviseOptions& options) {
  if (!options.inherited) return supervise_srun(options);
  try {
    return supervise_srun(options);
  } catch (const std::exception& error) {
    os::say(os::Severity::error, error.what());
    attempts::end_job(
        options.inherited->successor_step.substr(0, options.inherited->successor_step.find('.')),
        EXIT_FAILURE);
    return EXIT_FAILURE;
  }
}

}  // namespace

Command supervise_command() {
  auto options = std::make_shared<SuperviseOptions>();
  Command command("supervise", "run an srun as a training job: supervise -- srun ...");
  add_site_options(command, options->site);
  command
      .value_or_nothing("--distributed", options->option,
                        "the option's value; default MUSTER_DISTRIBUTED")
      .number("--program-index", options->program_index,
              "the position of the program in the command (set by the shim)")
      .value("--slurm-plugins", options->plugin_directory,
             "Slurm's plugin directory (set by the shim)")
      .value("--mpi-default", options->mpi_default, "Slurm's MpiDefault (set by the shim)")
      .choice(
          "--plan-format", {"table", "json"},
          [options](std::size_t place) { options->plan_style.format = plan_formats.at(place); },
          "how explain and dry-run show the plan: table or json")
      .value("--plan-svg", options->plan_style.svg, "file for a drawing of one node of the plan")
      .value("--plan-node", options->plan_style.node, "which node (default: rank 0's)")
      .needs_to_hand_on("command", options->command, "srun and its arguments");
  return command.internal().action([options] {
    unblock_signals();
    options->inherited = successor::take_handover();
    options->left = attempts::take_left();
    return supervise_inherited(*options);
  });
}

}  // namespace muster::command
