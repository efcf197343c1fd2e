#include "core/torchrun/run.hpp"

#include "core/contains.hpp"
#include "core/error.hpp"
#include "core/option/key_table.hpp"
#include "core/option/keys.hpp"
#include "core/profile/profile.hpp"
#include "core/request/needs.hpp"
#include "core/request/precedence.hpp"
#include "core/request/request.hpp"
#include "core/resources/gpu_count.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"
#include "launcher/channel/step/another_attempt.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/site_options.hpp"
#include "launcher/command/usage_error.hpp"
#include "launcher/os/command_output.hpp"
#include "launcher/os/executable.hpp"
#include "launcher/os/output.hpp"
#include "launcher/os/own_cpus.hpp"
#include "launcher/site/installed.hpp"
#include "launcher/site/site.hpp"
#include "launcher/slurm/srun.hpp"
#include "launcher/supervisor/attempts/attempts.hpp"
#include "launcher/tools/local/descendants.hpp"
#include "launcher/tools/local/starter.hpp"
#include "launcher/topology/node_topology.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::command {
namespace {

constexpr std::chrono::seconds torchruns_grace{30};
constexpr int exit_failure =
    1;  // the code with which torchrun exits, whatever the rank's exit code was

struct RunOptions {
  site::SiteOptions site;
  std::optional<std::string> option;  // --distributed
  std::array<std::optional<std::string>, torchrun::flags.size()> values;
  torchrun::Words words;
};

torchrun::Words words_of(const RunOptions& options, const Environment& environment) {
  auto words = options.words;
  for (std::size_t i = 0; i < torchrun::flags.size(); ++i) {
    if (torchrun::flags.at(i).value != nullptr)
      words.*torchrun::flags.at(i).value = options.values.at(i);
  }
  return with_variables(std::move(words), environment);
}

// Without this check, a missing script would cause one Python traceback per rank.
void check_program(const torchrun::Words& words) {
  if (words.module || words.no_python) return;
  const auto& script = words.program.front();
  if (std::filesystem::exists(script)) return;
  throw Error(fmt::format("there is no script {}{}; check its path, or use --module or --no-python",
                          text::printable_path(script),
                          script.find('/') == std::string::npos ? " in this directory" : ""));
}

// torchrun uses the Python that runs it: that of the active virtual environment.
std::string python_of(const Environment& environment) {
  return os::on_path("python", environment, ".") ? "python" : "python3";
}

// Without Slurm, the machine's GPUs belong to the user, whatever the site says about its jobs.
std::uint32_t visible_gpus(const site::Site& site) {
  const auto found = topology::node_topology({.site = site,
                                              .environment = site.environment(),
                                              .node = {},
                                              .scan = topology::hwloc::Scan::devices});
  return static_cast<std::uint32_t>(
      resources::visible_gpu_count(found.topology, site.environment()));
}

// Whether this is inside an allocation but not in one of its tasks: then srun starts the ranks.
bool is_in_allocation(const Environment& environment) {
  constexpr std::uint32_t first_special_step = 0xffff'fff0;
  if (!environment.contains("SLURM_JOB_ID")) return false;
  const auto step = text::number<std::uint32_t>(environment.get("SLURM_STEP_ID"));
  return !step || *step >= first_special_step;
}

std::uint32_t number_in(const Environment& environment, const char* name) {
  const auto& text = environment.get(name);
  return text::number<std::uint32_t>(text).value_or(0);
}

// The user's --distributed comes first. A key that torchrun's flags also set is an error, as it should be.
std::string joined(const std::string& one, const std::string& other) {
  return one.empty() || other.empty() ? one + other : one + "," + other;
}

struct Asked {
  std::string profile;
  std::string keys;
};

// Splits --distributed into profile and keys, because srun accepts a profile only as the first word.
Asked with_profile(const RunOptions& options, const Environment& environment) {
  const auto option = options.option.value_or("");
  const auto first = option.substr(0, option.find(','));
  const site::Site site(options.site, environment, true);
  const auto profiles = profile::profile_names(site.profile_directories());
  if (!contains(profiles, first)) return {"torch", option};
  return {first, option.size() > first.size() ? option.substr(first.size() + 1) : ""};
}

// Whether the site has enabled it here.
bool has_plugin() {
  constexpr std::chrono::seconds timeout{5};
  return os::command_output({"srun", "--help"}, timeout).find("--distributed") != std::string::npos;
}

[[noreturn]] void become_srun(const RunOptions& options, const torchrun::Words& words,
                              const Environment& environment) {
  const torchrun::Machine machine{
      .cpus = std::max<std::uint32_t>(1, number_in(environment, "SLURM_CPUS_ON_NODE")),
      .gpus = number_in(environment, "SLURM_GPUS_ON_NODE")};
  const auto ranks = ranks_per_node(words, machine);
  const auto run = torchrun::run_of(words, ranks);
  if (run.wants_directory) {
    throw command::UsageError(
        "inside an allocation, --redirects and --tee need --log-dir: a directory that all "
        "nodes can see");
  }
  const auto [profile, keys] = with_profile(options, environment);
  torchrun::Srun srun{.nodes = nodes_of(words),
                      .ranks_per_node = ranks,
                      .cpus_per_rank = 0,
                      .profile = profile,
                      .option = joined(keys, run.option)};
  if (environment.contains("SLURM_CPUS_ON_NODE")) {
    srun.cpus_per_rank = std::max<std::uint32_t>(1, machine.cpus / ranks);
  }
  if (!has_plugin()) {
    srun.muster = site::installed_program();
    os::say(os::Severity::progress,
            "srun has no --distributed option here, so `muster exec` starts the ranks without "
            "restarts or a report");
  }
  for (const auto& [name, value] : run.variables) {
    if (name == "ROLE_NAME") setenv(name.c_str(), value.c_str(), 1);
  }
  auto command = srun_of(srun, command_of(words, environment, python_of(environment)));
  std::vector<char*> pointers;
  for (auto& word : command) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers.front(), pointers.data());
  throw Error(
      fmt::format("this is job {}'s allocation, but srun cannot be started: {}; is Slurm on PATH?",
                  environment.get("SLURM_JOB_ID"), std::strerror(errno)));
}

// Refuses only what the user asked for. A site's defaults are meant for its jobs.
void refuse_slurms_keys(const request::Request& request) {
  constexpr option::Key supervise("supervise");
  auto asked = first_asked(request, option::Need::slurm);
  if (!request.supervise && source(request, supervise).origin != Origin::site) asked = supervise;
  if (!asked) return;
  throw Error(fmt::format(
      "{}=: this key needs Slurm, but muster run starts the ranks without Slurm; leave the key "
      "out, or use srun --distributed",
      option::info(*asked).name));
}

request::Request request_of(const site::Site& site, const std::string& option) {
  const auto merged = site.merged_settings(option.empty() ? std::optional<std::string>() : option);
  auto request = site.request(merged);
  refuse_slurms_keys(request);
  const auto profile = site.profile(request.profile);
  if (profile.mode == profile::Mode::agent) {
    throw Error(fmt::format(
        "profile {} starts one launcher on each node; muster run is a launcher itself: use "
        "profile torch",
        request.profile));
  }
  if (std::ranges::count(profile.requirements, profile::Requirement::slurm_ranks) > 0) {
    throw Error(fmt::format(
        "profile {0} takes the ranks from Slurm's variables, but muster run starts them without Slurm; use "
        "profile torch, or srun --distributed={0} in a job",
        request.profile));
  }
  request.supervise = true;
  return without(std::move(request), option::Need::slurm);
}

void prepare_variables(const torchrun::Run& run) {
  // Safe because no thread has been started yet.
  for (const auto& [name, value] : run.variables) setenv(name.c_str(), value.c_str(), 1);
  setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1", 0);
}

// torchrun creates one as well. It is kept, because it contains the output.
std::string new_directory(const Environment& environment) {
  const auto& base = environment.get("TMPDIR");
  auto path = (base.starts_with('/') ? base : std::string("/tmp")) + "/muster-run-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    throw Error(fmt::format("cannot create {}: {}; use --log-dir=DIR", text::printable_path(path),
                            std::strerror(errno)));
  }
  os::say(os::Severity::progress,
          fmt::format("the ranks' output is in {}; --log-dir=DIR chooses another directory", path));
  return path;
}

int run_here(const RunOptions& options, const torchrun::Words& words) {
  auto environment = local::without_slurm(site::current_environment());
  std::optional<site::Site> site(std::in_place, options.site, environment, true);
  const auto gpus = asks_for_gpus(words) ? visible_gpus(*site) : 0;
  const torchrun::Machine machine{.cpus = static_cast<std::uint32_t>(os::own_cpus().count()),
                                  .gpus = gpus};
  const auto ranks = ranks_per_node(words, machine);
  auto run = torchrun::run_of(words, ranks);
  check_program(words);
  if (run.wants_directory) run.option = joined("logs=" + new_directory(environment), run.option);
  prepare_variables(run);
  environment = local::without_slurm(site::current_environment());
  site.emplace(options.site, environment, true);
  if (const auto line = site->warning(); !line.empty()) os::say(os::Severity::warning, line);
  const auto request = request_of(*site, joined(options.option.value_or(""), run.option));
  const local::Step step{.site = options.site,
                         .number = local::new_number(),
                         .attempt = 0,
                         .ranks = ranks,
                         .command = command_of(words, environment, python_of(environment))};
  std::vector<std::string> shown{"muster run"};
  shown.insert(shown.end(), step.command.begin(), step.command.end());
  const bool code_chosen = source(request, option::Key("exit")).origin != Origin::default_;
  local::adopt_orphans();
  const int code = attempts::run(
      {.site = *site,
       .request = request,
       .command = {shown, 1},
       .plan_style = {},
       .policy = {.grace = request.grace.value_or(torchruns_grace),
                  .heartbeat = request.heartbeat.limit,
                  .loss_time = step::node_loss_timeout(request),
                  .another_may_start = step::another_may_start(request),
                  .term_stops = std::ranges::count(run.ending_signals, SIGTERM) > 0,
                  .ending_signals = run.ending_signals,
                  .job = environment.get("SLURM_JOB_ID")},
       .start_ranks =
           [step](std::uint32_t attempt) {
             auto now = step;
             now.attempt = attempt;
             return local::start_ranks(now);
           },
       .code_of_any_failure = code_chosen ? std::nullopt : std::optional(exit_failure)});
  local::kill_children(-1, [](pid_t, int) {});
  return code == 0 || code_chosen ? code : exit_failure;
}

int run_torchruns(const RunOptions& options) {
  const auto environment = site::current_environment();
  const auto words = words_of(options, environment);
  const auto nodes = nodes_of(words);
  if (is_in_allocation(environment)) become_srun(options, words, environment);
  if (nodes.max > 1 && environment.contains("SLURM_JOB_ID")) {
    throw command::UsageError(
        "--nnodes: this is already a task of srun, but muster run starts srun for all nodes "
        "itself; remove the srun in front of muster run");
  }
  if (nodes.max > 1) {
    if (!one_is_enough(words, nodes)) throw command::UsageError(several_nodes_text(words, nodes));
    os::say(os::Severity::warning,
            fmt::format("--nnodes=1:{}: using only this machine, because there is no allocation",
                        nodes.max));
  }
  if (words.node_rank && *words.node_rank != "0") {
    throw Error(
        fmt::format("--node-rank {}: a single machine has node rank 0; leave --node-rank out",
                    text::in_quotes(*words.node_rank)));
  }
  return run_here(options, words);
}

}  // namespace

Command run_command() {
  auto options = std::make_shared<RunOptions>();
  options->site.trust_user = true;
  command::Command command("run", "run a torchrun command line, on this machine or through srun");
  command.reads_like_argparse();
  command::add_typed_site_options(command, options->site);
  command.value_or_nothing("--distributed", options->option, "muster's own keys, as for srun");
  for (std::size_t i = 0; i < torchrun::flags.size(); ++i) {
    const auto& flag = torchrun::flags.at(i);
    const auto name = "--" + std::string(flag.name);
    const std::string meaning(flag.meaning == "refused" ? "" : flag.meaning);
    if (flag.value != nullptr) {
      command.value(name, options->values.at(i), meaning);
    } else {
      command.flag(name, options->words.*flag.is_set, meaning);
    }
    if (flag.letter != 0) command.letter(flag.letter);
  }
  command.needs_to_hand_on("script", options->words.program,
                           "the script or program and its arguments");
  return command.action([options] { return run_torchruns(*options); });
}

}  // namespace muster::command
