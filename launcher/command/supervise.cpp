// `muster supervise -- srun ARGS...`: validates before anything is allocated, then runs srun with
// what distributed training needs. The shim in srun starts it in srun's place; it can also be
// called by hand.
#include "core/error.hpp"
#include "core/profile/profile.hpp"
#include "core/request/precedence.hpp"
#include "core/request/request.hpp"
#include "core/text/quote.hpp"
#include "launcher/channel/server.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/help.hpp"
#include "launcher/command/site_options.hpp"
#include "launcher/site/site.hpp"
#include "launcher/supervise/cpus_per_task.hpp"
#include "launcher/supervise/het_step.hpp"
#include "launcher/supervise/kill_on_bad_exit.hpp"
#include "launcher/supervise/launcher_check.hpp"
#include "launcher/supervise/notices.hpp"
#include "launcher/supervise/plan_view.hpp"
#include "launcher/supervise/program_check.hpp"
#include "launcher/supervise/remarks.hpp"
#include "launcher/supervise/report_output.hpp"
#include "launcher/supervise/slurm_mpi.hpp"
#include "launcher/supervise/slurms_word.hpp"
#include "launcher/supervise/srun.hpp"
#include "launcher/supervise/srun_environment.hpp"
#include "launcher/supervise/step_socket.hpp"
#include "launcher/supervise/supervision.hpp"
#include "launcher/supervise/time_limit.hpp"
#include "launcher/supervise/unreached.hpp"
#include "wire/variables.hpp"

#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::command {
namespace {

struct SuperviseOptions {
  site::SiteOptions site;
  std::optional<std::string> option;
  std::size_t program_index = 0;
  std::string plugin_directory;  // Slurm's, as far as the shim knows it
  std::vector<std::string> command;
  supervise::PlanStyle plan_style;
};

constexpr std::size_t max_node_name = 255;
constexpr std::array plan_formats{supervise::PlanFormat::table, supervise::PlanFormat::json};

void say(const request::Request& request, const std::string& line) {
  if (request.verbose) std::fprintf(stderr, "muster: %s\n", line.c_str());
}

request::Request validated_request(const site::Site& site, const request::MergedSettings& asked,
                                   const supervise::SrunCommand& command) {
  auto request = site.request(asked);
  const auto fault = supervise::program_fault(command, site.environment(),
                                              profile::profile_names(site.profile_directories()));
  if (!fault.why.empty() && fault.is_certain) throw Error(fault.why);
  supervise::remark(command, fault.why);
  supervise::remark(command, supervise::launcher_remark(command, site.profile(request.profile)));
  return request;
}

bool slurm_has_pmix(const std::string& plugin_directory, const std::string& srun) {
  const auto found = supervise::has_pmix_in(plugin_directory);
  return found ? *found : supervise::has_pmix(srun);
}

// On a site without PMIx it is so at every launch: only those who need PMIx have to know.
void say_without_pmix(const request::Request& request, const supervise::SrunCommand& command) {
  if (request.profile != "mpi" && !request.verbose) return;
  supervise::remark(command,
                    "Slurm here has no PMIx plugin (srun --mpi=list); going on without, torch and "
                    "others need none");
}

bool use_pmix(const site::Site& site, const request::Request& request,
              const supervise::SrunCommand& command, const std::string& plugin_directory) {
  if (supervise::chose_mpi(site.environment(), command.options())) return false;
  // Before 24.05 Slurm's mpi/pmix starts one agent for each component in the same variables, and
  // srun may then wait for ever at the step's end. If PMIx is needed there, the user gives
  // --mpi=pmix.
  if (supervise::heterogeneous(command)) return false;
  if (slurm_has_pmix(plugin_directory, command.words.front())) return true;
  say_without_pmix(request, command);
  return false;
}

// What there is beside srun while it runs.
struct Beside {
  Beside(const request::Request& request, supervise::PlanStyle style,
         const supervise::SupervisionPolicy& policy)
      : view(request, std::move(style)), notices(stderr), supervision(policy, notices) {}

  supervise::PlanView view;
  supervise::Notices notices;
  supervise::Supervision supervision;
  supervise::StepSocket step;
  std::unique_ptr<channel::Server> channel;  // ends before the others
};

supervise::SupervisionPolicy policy_of(const site::Site& site, const request::Request& request,
                                       const supervise::SrunCommand& command) {
  const auto chosen = supervise::chose_kill_on_bad_exit(site.environment(), command.options());
  return {.ends_by_first_failure = chosen.value_or(true),
          .grace = request.grace,
          .heartbeat = request.heartbeat.limit,
          .interactive = supervise::is_interactive(command)};
}

std::unique_ptr<channel::Server> open_channel(const site::Site& site, const channel::StepKey& key,
                                              Beside& beside) {
  return std::make_unique<channel::Server>(
      key, site.config().control_ports,
      [&beside](const std::vector<std::string>& texts) { beside.view.show(texts); },
      [&beside](const std::string& text) { beside.notices.show(text); }, channel::Limits(),
      beside.supervision.station());
}

// A dry run that showed nothing has failed: a script that reads its output must not take that for a
// plan.
int end_of_dry_run(const supervise::Ended& ended, const supervise::PlanView& view) {
  const int code = supervise::end_like(ended);
  if (view.failed() && code == 0) return EXIT_FAILURE;
  if (view.shown() || code != 0) return code;
  throw Error(
      "no plan came from the nodes, and the program has run if there is one; does slurmd there have "
      "muster.so in its plugstack.conf?");
}

// An srun that was killed leaves a job that Slurm cancels, and this says nothing of the cause.
report::SlurmsWord slurms_word(const report::Record& record, bool left_srun) {
  auto job = supervise::job_of(record, site::current_environment());
  job.ends_soon = job.ends_soon && !left_srun;
  auto word = supervise::ask_slurm(job);
  if (left_srun && (word.job_state == "CANCELLED" || word.job_state == "COMPLETING")) return {};
  return word;
}

std::string own_name() {
  std::array<char, max_node_name + 1> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "the submit host";
}

// What srun and its command line tell of the step.
void add_step(report::Record& record, const supervise::SrunCommand& command, const Beside& beside) {
  record.program = command.program == 0 ? "" : command.words.at(command.program);
  record.time_limit = supervise::chosen_time_limit(site::current_environment(), command.options());
  const auto created = beside.step.read();
  if (!created) return;
  record.created = beside.supervision.station()->moment(created->time);
  // Agents that got as far as asking, and never watched a task, say themselves why.
  if (record.nodes.empty() && beside.channel->reached()) return;
  supervise::name_silent_nodes(record, created->nodes);
}

// What ended the step comes last on the screen.
int end_of_run(const request::Request& request, const supervise::SrunCommand& command,
               const supervise::Ended& ended, Beside& beside) {
  const bool well = ended.wait_status == 0 && beside.supervision.unharmed();
  if (well && !request.report && !request.verbose) return EXIT_SUCCESS;
  auto record = beside.supervision.record(ended);
  add_step(record, command, beside);
  const auto channel = beside.channel->address();
  beside.channel.reset();  // asking Slurm starts a process, and this one has threads until now
  const auto unreached = supervise::unreached_text(record, own_name(), channel);
  if (!unreached.empty() && (!well || request.verbose))
    std::fprintf(stderr, "muster: %s\n", unreached.c_str());
  if (!well) record.slurm = slurms_word(record, beside.supervision.left_srun());
  const auto code = supervise::show_report(record, request, supervise::is_interactive(command));
  if (!code || (WIFSIGNALED(ended.wait_status) && !beside.supervision.left_srun())) {
    return supervise::end_like(ended);
  }
  return *code;
}

// Only this node sends its drawing: from thousands of nodes that would be too much.
std::string node_to_see(const supervise::PlanStyle& style) {
  if (style.svg.empty()) return {};
  if (style.node.empty()) return step::rank_0s_node;
  if (style.node.size() <= max_node_name && text::is_utf8(style.node)) return style.node;
  throw Error(fmt::format("--node {}: no node has such a name; leave it out for rank 0's",
                          text::in_quotes(style.node)));
}

int run(const SuperviseOptions& options, const site::Site& site, const request::Request& request) {
  const supervise::SrunCommand command{options.command, options.program_index};
  const auto key = channel::make_step_key();
  const auto policy = policy_of(site, request, command);
  Beside beside(request, options.plan_style, policy);
  // Nothing if the user wants no supervisor: nothing would answer.
  if (request.supervise) beside.channel = open_channel(site, key, beside);
  const step::Attempt attempt{
      .request = request,
      .number = 0,
      .key = key,
      .program_elsewhere = supervise::program_elsewhere(command, site.environment()),
      .channel = beside.channel ? beside.channel->address() : channel::Address(),
      .hint = supervise::hint(command.options()),
      .draw = node_to_see(options.plan_style),
      .quiet = supervise::is_quiet(command),
      .chose_cpus = supervise::chose_cpus(command) || supervise::shares_job(command),
      .ends_by_first_failure = policy.ends_by_first_failure};
  const bool pmix = use_pmix(site, request, command, options.plugin_directory);
  const auto change = supervise::srun_environment(site.environment(), attempt, pmix);
  supervise::apply(change);
  if (const auto cpus = supervise::inherited_cpus_per_task(site.environment(), command)) {
    supervise::apply({{{"SRUN_CPUS_PER_TASK", *cpus}}, {}});
  }
  // What an outer step's muster set counts as not exported: it has just been removed.
  auto exported = site.environment();
  for (const auto& name : change.unset) exported.erase(name);
  supervise::apply(supervise::placeholders_for_nodes(exported, site.profile(request.profile)));
  auto words = options.command;
  if (supervise::heterogeneous(command)) {
    words = supervise::export_layout(command);
    supervise::apply({{supervise::export_layout_variable(site.environment())}, {}});
  }
  say(request,
      fmt::format("{} as {}", pmix ? "PMIx on" : "PMIx as srun chooses", to_option(request)));
  if (!request.supervise) supervise::become_srun(words);
  beside.step.hand_on();
  const auto ended = supervise::run_srun(words, beside.supervision.hooks([&] {
    beside.step.handed_on();
    beside.channel->start();
  }));
  return request.dry_run ? end_of_dry_run(ended, beside.view)
                         : end_of_run(request, command, ended, beside);
}

// srun's shim recognises its supervisor by the guard variable and never asks for another. If it
// ever did, one error is better than an endless chain of processes.
void refuse_to_nest(const Environment& environment) {
  const auto guard = environment.find(wire::supervisor_variable);
  if (guard != environment.end() && guard->second == fmt::to_string(getppid())) {
    throw Error(
        "srun is supervised already and asked for a supervisor again; this is a bug in muster, "
        "please report it with the srun command line; supervise=off avoids it");
  }
}

int supervise_srun(const SuperviseOptions& options) {
  const site::Site site(options.site, site::current_environment(), true);
  refuse_to_nest(site.environment());
  const auto merged = site.merged_settings(options.option);
  if (merged.action == option::Action::help) {
    std::fputs(option_help(site).c_str(), stdout);
    return 0;
  }
  if (merged.action == option::Action::off) supervise::become_srun(options.command);
  const supervise::SrunCommand command{options.command, options.program_index};
  return run(options, site, validated_request(site, merged, command));
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
              "the place of the program in the command (the shim knows it)")
      .value("--slurm-plugins", options->plugin_directory,
             "Slurm's plugin directory (the shim knows it)")
      .choice(
          "--plan-format", {"table", "json"},
          [options](std::size_t place) { options->plan_style.format = plan_formats.at(place); },
          "how explain and dry-run show the plan: table or json")
      .value("--plan-svg", options->plan_style.svg,
             "a file into which a node of the shown plan is drawn")
      .value("--plan-node", options->plan_style.node, "which node (default: rank 0's)")
      .needs_to_hand_on("command", options->command, "srun and its arguments");
  return command.internal().action([options] { return supervise_srun(*options); });
}

}  // namespace muster::command
