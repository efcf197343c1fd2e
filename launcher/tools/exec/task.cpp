#include "launcher/tools/exec/task.hpp"

#include "core/error.hpp"
#include "core/explain/plan_view.hpp"
#include "core/plan/step_plan.hpp"
#include "core/profile/profile.hpp"
#include "core/request/precedence.hpp"
#include "core/resources/gpu_allocation.hpp"
#include "core/site/config.hpp"
#include "core/text/quote.hpp"
#include "launcher/agent/node/program_lookup.hpp"
#include "launcher/agent/node/variable_policy.hpp"
#include "launcher/channel/step/facts.hpp"
#include "launcher/os/output.hpp"
#include "launcher/os/own_cpus.hpp"
#include "launcher/os/user_secret.hpp"
#include "launcher/site/job_facts.hpp"
#include "launcher/tools/exec/exchange.hpp"
#include "launcher/tools/exec/exec_program.hpp"
#include "launcher/tools/exec/node_plan.hpp"
#include "launcher/tools/exec/task_report.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace muster::exec {
namespace {

// A directory that has been removed has no name.
std::string working_directory() {
  std::error_code removed;
  const auto directory = std::filesystem::current_path(removed);
  return removed ? "." : directory.string();
}

// Without a secret, the tasks meet all the same.
std::optional<secret::Key> secret_of(const Environment& environment) {
  try {
    return os::user_secret(environment);
  } catch (const secret::Error&) {
    return std::nullopt;
  }
}

// Shows each different line once; false if there are none.
bool show_failures(const std::vector<TaskReport>& reports) {
  std::vector<std::string> shown;
  for (const auto& report : reports) {
    if (report.failure.empty() || std::ranges::count(shown, report.failure) > 0) continue;
    os::say(os::Severity::error, report.failure);
    shown.push_back(report.failure);
  }
  return !shown.empty();
}

}  // namespace

Task::Task(const TaskOptions& options, const Environment& inherited)
    : options_(options),
      facts_(task_facts(inherited)),
      inherited_(inherited),
      environment_(without_inherited(inherited, facts_.step)) {}

int Task::run(const ShowHelp& show_help) {
  if (is_planned(inherited_, facts_.step)) return step_aside();
  prepare();
  if (action_ == option::Action::help) {
    if (facts_.procid == 0) show_help(*site_);
    return 0;
  }
  if (action_ == option::Action::off) return become(options_.command);
  const auto place =
      meeting_place(facts_, site_ ? site_->config().gather_timeout : site::Config().gather_timeout,
                    secret_of(environment_));
  auto met = meet(place);
  return met.leader ? lead(*met.leader) : follow(place, met.leader_connection);
}

int Task::step_aside() const {
  const site::Site site(options_.site, inherited_, true);
  site.settle(facts_of_node(site::facts_of_job(inherited_)));
  const auto merged = site.merged_settings(options_.option);
  if (merged.action == option::Action::launch && request::make_request(merged.settings).verbose) {
    os::say(os::Severity::progress,
            "this step has already been planned: exec only starts the program");
  }
  return become(options_.command);
}

// One task on the node reports what is wrong here, once.
void Task::prepare() {
  try {
    site_.emplace(options_.site, environment_, true);
    site_->settle(facts_of_node(site::facts_of_job(environment_)));
    const auto merged = site_->merged_settings(options_.option);
    action_ = merged.action;
    if (action_ != option::Action::launch) return;
    request_ = request::make_request(merged.settings);
    check_without_supervisor(*request_);
    node::check_variables(site_->config().policy.variables, environment_, working_directory());
    find_program();
    if (facts_.procid == 0) hold_ports();
  } catch (const Error& error) {
    failure_ = error.what();
  }
}

void Task::find_program() {
  const auto missing = node::missing_program(options_.command, environment_, working_directory());
  if (missing.empty()) return;
  exit_code_ = exit_no_program;
  throw Error(fmt::format("{}: {}", facts_.node_name, missing));
}

// This very process must hold them, because the program that it becomes will listen there. A step that does
// not use the worker library needs no second port.
void Task::hold_ports() {
  const auto& config = site_->config();
  const auto ports = ports_of(environment_, *request_, config, facts_.step);
  ports_.push_back(port::hold_first(ports, facts_.node_name));
  const auto second =
      exchange_port(environment_, *request_, config, site_->profile(request_->profile), facts_.step,
                    ports_.front().port());
  auto held = second == 0 ? std::nullopt : port::hold_any({second}, port::Admits::own_user);
  if (held) ports_.push_back(std::move(*held));
}

TaskReport Task::report() const {
  return {.procid = facts_.procid,
          .local_id = facts_.local_id,
          .cpus = os::own_cpus(),
          .gpus = resources::gpu_variables(environment_),
          .failure = failure_};
}

int Task::lead(Leader& leader) {
  try {
    const auto reports = leader.collect(report());
    if (show_failures(reports)) {
      leader.refuse_all();
      return exit_code_;
    }
    const auto message = plan(reports);
    for (std::uint32_t i = 0; i < reports.size(); ++i) {
      leader.answer(i, wire::Kind::plan, wire::encode(part_of(message, i)));
    }
    return start(part_of(message, facts_.local_id));
  } catch (...) {
    leader.refuse_all();
    throw;
  }
}

wire::NodePlan Task::plan(const std::vector<TaskReport>& reports) const {
  const auto planned = node_plan({.site = *site_,
                                  .request = *request_,
                                  .task = facts_,
                                  .environment = environment_,
                                  .reports = reports});
  show(planned.plan);
  auto message = to_wire(planned.plan.nodes.front());
  message.dry_run = request_->dry_run;
  message.set.push_back({wire::planned_variable, step::run_id(facts_.step)});
  if (request_->ranks == option::Ranks::contiguous) {
    message.set.push_back({wire::numbering_variable, "contiguous"});
  }
  for (const auto& variable : planned.exchange.variables) message.set.push_back(variable);
  for (const auto& [name, value] : inherited_) {
    if (!environment_.contains(name)) message.unset.push_back(name);
  }
  return message;
}

// The same warning from every node of a large step would bury the rest of the output.
void Task::show(const plan::StepPlan& step) const {
  if (request_->dry_run || request_->explain) {
    auto* const stream = request_->dry_run ? stdout : stderr;
    std::fputs(explain::to_table(step, {os::wants_color(stream)}).c_str(), stream);
    std::fflush(stream);
    return;
  }
  const auto& node = step.nodes.front();
  if (node.node_rank != 0 && !request_->verbose) return;
  for (const auto& warning : node.warnings) os::say(os::Severity::warning, warning);
}

int Task::follow(const MeetingPlace& place, const os::Descriptor& leader) {
  const auto answer = report_to_leader(place, leader, report());
  if (answer.kind != wire::Kind::plan) return exit_code_;
  const auto part = wire::decode_plan(answer.payload);
  if (!part || part->tasks.size() != 1) throw Error("the plan arrived truncated");
  return start(*part);
}

int Task::start(const wire::NodePlan& part) {
  if (part.dry_run) return 0;
  const auto confined = apply(part);
  for (const auto& remark : confined.remarks) {
    os::say(confined.may_start ? os::Severity::warning : os::Severity::error,
            fmt::format("{}: {}", part.tasks.front().who, remark));
  }
  if (!confined.may_start) return EXIT_FAILURE;
  for (const auto& port : ports_) port.keep_through_exec();
  return become(options_.command);
}

}  // namespace muster::exec
