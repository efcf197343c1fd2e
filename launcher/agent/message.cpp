#include "launcher/agent/message.hpp"

#include "core/logs/names.hpp"
#include "core/text/quote.hpp"
#include "launcher/channel/step/facts.hpp"
#include "launcher/site/installed.hpp"
#include "wire/python_path.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace muster::agent {
namespace {

// Keeps an address that the user exported.
std::vector<wire::Assignment> exchange_of(const StepContext& context, const PlannedNode& node) {
  if (context.environment.contains(wire::exchange_variable)) return {};
  const auto key = step::exchange_key_of_step(context.attempt.key, step::run_id(context.name));
  // A launcher that starts the ranks itself uses a different rendezvous address, but the same kinds of
  // intruders may reach it.
  if (node.exchange.port == 0 && !key.empty() &&
      !context.environment.contains(wire::exchange_key_variable)) {
    return {{wire::exchange_key_variable, key}};
  }
  return exchange_variables(node.exchange, key);
}

// In very large steps, one rank per node records its times on behalf of all: a file per rank would cost more
// than it is worth.
constexpr std::size_t max_ranks_with_times = 4096;

// Keeps a value that the user exported.
void add_times(wire::NodePlan& message, const StepContext& context, const PlannedNode& node) {
  if (node.plan.logs.empty() || context.environment.contains(wire::times_variable)) return;
  const auto zero =
      std::chrono::duration_cast<std::chrono::microseconds>(node.times.met.time_since_epoch());
  const bool all = context.layout.node_of_task.size() <= max_ranks_with_times;
  for (std::size_t i = 0; i < node.plan.tasks.size(); ++i) {
    const auto& task = node.plan.tasks[i];
    if (!all && task.local_rank != 0) continue;
    message.tasks[i].set.push_back(
        {wire::times_variable,
         fmt::format("{}:{}/{}", zero.count(), node.plan.logs, logs::times_name(task.rank))});
  }
}

bool has_hook(const plan::TaskPlan& task, const std::string& hook) {
  const auto path = std::ranges::find(task.variables, wire::python_path_variable, &EnvVar::name);
  return path != task.variables.end() && !path->kept &&
         wire::without_start_hook(path->value, hook) != path->value;
}

// For the tasks whose PYTHONPATH has the start hook.
void add_start_hook(wire::NodePlan& message, const PlannedNode& node) {
  const auto hook = site::installed_start_hook();
  if (hook.empty()) return;
  for (std::size_t i = 0; i < node.plan.tasks.size(); ++i) {
    const auto& task = node.plan.tasks[i];
    if (!has_hook(task, hook)) continue;
    message.start_hook = hook;
    if (message.directory.empty()) continue;
    message.tasks[i].set.push_back(
        {wire::rank_directory_variable, fmt::format("{}/{}", message.directory, task.local_rank)});
  }
}

// The lines may quote the user's text, and end up in root's log and on terminals. The shim accepts no more
// and no longer lines than these.
void make_presentable(std::vector<std::string>& lines) {
  if (lines.size() > wire::max_warnings) {
    const auto more = lines.size() - wire::max_warnings + 1;
    lines.resize(wire::max_warnings - 1);
    lines.push_back(
        fmt::format("and {} more lines like these; `muster plan` shows all of them", more));
  }
  for (auto& line : lines) line = text::printable_path(line);
}

}  // namespace

wire::NodePlan message_of(const StepContext& context, const PlannedNode& node) {
  auto message = to_wire(node.plan);
  make_presentable(message.warnings);
  if (node.errors) message.directory = node.errors->path();
  message.has_files = !node.files.empty();
  message.dry_run = context.request().dry_run;
  message.ends_by_failure =
      !message.dry_run && context.supervisor() && context.attempt.ends_by_first_failure;
  message.set.push_back({wire::planned_variable, step::run_id(context.name)});
  if (context.request().ranks == option::Ranks::contiguous) {
    message.set.push_back({wire::numbering_variable, "contiguous"});
  }
  for (auto& variable : exchange_of(context, node)) message.set.push_back(std::move(variable));
  add_times(message, context, node);
  add_start_hook(message, node);
  // Variables are first removed, then set: one that has no value in this layout must not remain.
  message.unset = step::not_for_tasks(context.facts);
  for (const auto& file : node.files) message.unset.push_back(file.variable);
  return message;
}

}  // namespace muster::agent
