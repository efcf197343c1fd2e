// `muster exec -- PROGRAM`: inside each task of a step, what the plugin would do where the site has
// none. The tasks of a node meet, one plans for all, and each becomes its program.
#include "core/error.hpp"
#include "core/plan/step_plan.hpp"
#include "core/resources/gpu_allocation.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/help.hpp"
#include "launcher/exec/exec_program.hpp"
#include "launcher/exec/node_meeting.hpp"
#include "launcher/exec/node_plan.hpp"
#include "launcher/exec/task_facts.hpp"
#include "launcher/node/program_lookup.hpp"
#include "launcher/os/output.hpp"
#include "launcher/os/own_cpus.hpp"
#include "launcher/port/held_port.hpp"
#include "launcher/site/site.hpp"
#include "launcher/step/facts.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace muster {
namespace {

struct ExecOptions {
  SiteOptions site;
  std::optional<std::string> option;
  std::vector<std::string> command;
};

void say(const std::string& line) {
  std::fprintf(stderr, "muster: %s\n", line.c_str());
}

// One task on its way to its program.
class Task {
 public:
  Task(const ExecOptions& options, const Environment& inherited)
      : options_(options),
        facts_(exec::task_facts(inherited)),
        inherited_(inherited),
        environment_(exec::without_inherited(inherited, facts_.step)) {}

  int run() {
    if (exec::is_planned(inherited_, facts_.step)) return step_aside();
    prepare();
    if (wanted_ == Wanted::help) return 0;
    if (wanted_ == Wanted::off) return exec::become(options_.command);
    const auto place = exec::meeting_place(
        facts_, site_ ? site_->config().gather_timeout : Config().gather_timeout);
    auto met = exec::meet(place);
    return met.leader ? lead(*met.leader) : follow(place, met.guest);
  }

 private:
  int step_aside() const {
    const Site site(options_.site, inherited_, true);
    const auto asked = site.asked(options_.option);
    if (asked.wanted == Wanted::launch && make_request(asked.settings).verbose) {
      say("this step is planned already: exec only starts the program");
    }
    return exec::become(options_.command);
  }

  // What is wrong here is told by one task of the node, once.
  void prepare() {
    try {
      site_.emplace(options_.site, environment_, true);
      const auto asked = site_->asked(options_.option);
      wanted_ = asked.wanted;
      if (wanted_ == Wanted::help && facts_.procid == 0) {
        std::fputs(option_help(*site_).c_str(), stdout);
      }
      if (wanted_ != Wanted::launch) return;
      request_ = make_request(asked.settings);
      exec::check_without_supervisor(*request_);
      find_program();
      if (facts_.procid == 0) hold_ports();
    } catch (const Error& error) {
      failure_ = error.what();
    }
  }

  void find_program() {
    const auto missing =
        agent::missing_program(options_.command, environment_, std::filesystem::current_path());
    if (missing.empty()) return;
    exit_code_ = exec::exit_no_program;
    throw Error(fmt::format("{}: {}", facts_.node_name, missing));
  }

  // It must be this process that holds them: what it becomes will listen there. A step that does
  // not use the worker library needs no second port.
  void hold_ports() {
    const auto& config = site_->config();
    const auto ports = exec::ports_of(environment_, *request_, config, facts_.step);
    ports_.push_back(agent::hold_first(ports, facts_.node_name));
    const auto second =
        exec::exchange_port(environment_, *request_, config, site_->profile(request_->profile),
                            facts_.step, ports_.front().port());
    auto held = second == 0 ? std::nullopt : agent::hold_any({second});
    if (held) ports_.push_back(std::move(*held));
  }

  [[nodiscard]] exec::TaskReport report() const {
    return {.procid = facts_.procid,
            .local_id = facts_.local_id,
            .cpus = agent::own_cpus(),
            .gpus = gpu_variables(environment_),
            .failure = failure_};
  }

  int lead(exec::Leader& leader) {
    try {
      const auto reports = leader.collect(report());
      if (tell_failures(reports)) {
        leader.refuse_all();
        return exit_code_;
      }
      const auto message = plan(reports);
      for (std::uint32_t i = 0; i < reports.size(); ++i) {
        leader.answer(i, wire::Kind::plan, wire::encode(exec::part_of(message, i)));
      }
      return start(exec::part_of(message, facts_.local_id));
    } catch (...) {
      leader.refuse_all();
      throw;
    }
  }

  // Each different one once.
  static bool tell_failures(const std::vector<exec::TaskReport>& reports) {
    std::vector<std::string> told;
    for (const auto& report : reports) {
      if (report.failure.empty() || std::ranges::count(told, report.failure) > 0) continue;
      say(report.failure);
      told.push_back(report.failure);
    }
    return !told.empty();
  }

  [[nodiscard]] wire::NodePlan plan(const std::vector<exec::TaskReport>& reports) const {
    const auto planned = exec::node_plan({.site = *site_,
                                          .request = *request_,
                                          .task = facts_,
                                          .environment = environment_,
                                          .reports = reports});
    show(planned.plan);
    auto message = to_wire(planned.plan.nodes.front());
    message.dry_run = request_->dry_run;
    message.set.push_back({wire::planned_variable, agent::run_id(facts_.step)});
    if (request_->ranks == Ranks::contiguous) {
      message.set.push_back({wire::numbering_variable, "contiguous"});
    }
    for (const auto& variable : planned.exchange.variables) message.set.push_back(variable);
    for (const auto& [name, value] : inherited_) {
      if (!environment_.contains(name)) message.unset.push_back(name);
    }
    return message;
  }

  // The same warning from every node of a large step would bury what else there is to read.
  void show(const StepPlan& step) const {
    if (request_->dry_run || request_->explain) {
      auto* const stream = request_->dry_run ? stdout : stderr;
      std::fputs(to_table(step, {wants_color(stream)}).c_str(), stream);
      std::fflush(stream);
      return;
    }
    const auto& node = step.nodes.front();
    if (node.node_rank != 0 && !request_->verbose) return;
    for (const auto& warning : node.warnings) say(warning);
  }

  int follow(const exec::MeetingPlace& place, const Descriptor& leader) {
    const auto answer = exec::report_to_leader(place, leader, report());
    if (answer.kind != wire::Kind::plan) return exit_code_;
    const auto part = wire::decode_plan(answer.payload);
    if (!part || part->tasks.size() != 1) throw Error("the plan did not arrive whole");
    return start(*part);
  }

  int start(const wire::NodePlan& part) {
    if (part.dry_run) return 0;
    const auto confined = exec::apply(part);
    for (const auto& remark : confined.remarks) {
      say(fmt::format("{}: {}", part.tasks.front().who, remark));
    }
    if (!confined.may_start) return EXIT_FAILURE;
    for (const auto& port : ports_) port.keep_through_exec();
    return exec::become(options_.command);
  }

  const ExecOptions& options_;
  exec::TaskFacts facts_;
  const Environment& inherited_;
  Environment environment_;  // without what an outer step's muster has set
  std::optional<Site> site_;
  Wanted wanted_ = Wanted::launch;
  std::optional<Request> request_;
  std::vector<agent::HeldPort> ports_;  // of rank 0
  std::string failure_;
  int exit_code_ = EXIT_FAILURE;
};

}  // namespace

void add_exec_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExecOptions>();
  auto* command = app.add_subcommand("exec",
                                     "inside a task: do what the plugin would, then "
                                     "become the program: srun muster exec -- PROGRAM");
  options->site.add_to(*command);
  // Whoever can build muster for himself is bound by no site's policy through his own files.
  options->site.trust_user = true;
  command->add_option("--distributed", options->option, "as for srun; default MUSTER_DISTRIBUTED")
      ->expected(0, 1);
  command->add_option("command", options->command, "after --: the program and its arguments")
      ->required();
  command->callback([options, &exit_code] {
    const auto environment = current_environment();
    exit_code = Task(*options, environment).run();
  });
}

}  // namespace muster
