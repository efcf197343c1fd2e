#include "launcher/slurm/ask.hpp"

#include "core/restart/succession.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/slurm/steps.hpp"
#include "core/text/list.hpp"
#include "launcher/os/command_output.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace muster::slurm {
namespace {

using std::chrono::milliseconds;

// Queries one job: shows times in the form that core/slurm reads, and jobs in hidden partitions.
std::string scontrol_show(std::vector<std::string> words, milliseconds timeout) {
  const std::vector<std::string> start{"env", "SLURM_TIME_FORMAT=standard", "scontrol", "--all",
                                       "--oneliner"};
  words.insert(words.begin(), start.begin(), start.end());
  return os::run_command(words, {.timeout = timeout, .max_bytes = max_job_bytes}).output;
}

std::vector<ShownStep> ask_steps(const std::string& job, const std::string& task,
                                 milliseconds timeout) {
  return steps_from_text(scontrol_show({"show", "step", job}, timeout), job, task);
}

// Without Slurm's own steps ("42.extern"): if the job has a step manager and that does not answer, slurmctld
// shows them, but scontrol does not always print them in time. A step that appears later would be taken for
// another supervisor's.
void add_steps(restart::HostlessJob& job, std::vector<ShownStep> steps) {
  for (auto& step : steps) {
    if (!is_numbered(step.id)) continue;
    job.steps.insert(std::move(step.id));
    const auto generation = restart::successor_generation(step.name);
    if (generation) job.successor = std::max(job.successor.value_or(0), *generation);
  }
}

// Set by the first refusal. slurmctld logs each one as a security violation, so it is not asked again.
std::atomic<bool> nodes_are_hidden{false};

// If nodes are hidden, a host counts as lost once Slurm has taken it out of the job: a failed connection from
// here would not show that slurmctld cannot reach the host either.
bool is_lost(const std::string& host, const Job& job, milliseconds timeout) {
  if (host.empty()) return false;
  const auto nodes = ask_nodes(std::vector{host}, timeout);
  if (nodes_are_hidden) {
    const auto now = allocation_of(job);
    return now && std::ranges::find(now->nodes, host) == now->nodes.end();
  }
  const auto found = std::ranges::find(nodes, host, &Node::name);
  return found != nodes.end() && (found->down || found->not_responding);
}

}  // namespace

std::optional<Job> ask_job(const std::string& id, milliseconds timeout) {
  return job_from_text(scontrol_show({"show", "job", id}, timeout), id);
}

std::optional<Allocation> ask_allocation(const std::string& job, milliseconds timeout) {
  const auto found = job_from_text(scontrol_show({"--details", "show", "job", job}, timeout), job);
  return found ? allocation_of(*found) : std::nullopt;
}

std::optional<restart::HostlessJob> ask_hostless_job(const std::string& job,
                                                     const std::string& host,
                                                     milliseconds timeout) {
  auto asked = ask_job(job, timeout);
  if (!asked) return std::nullopt;
  const bool lost = is_lost(host, *asked, timeout);
  restart::HostlessJob found{.job = std::move(*asked), .host_lost = lost};
  add_steps(found, ask_steps(job, found.job.task, timeout));
  return found;
}

std::string ask_task_name(const std::string& job) {
  const auto found = ask_job(job, job_query_timeout);
  return found ? found->task : job;
}

std::vector<std::string> running_steps(const std::string& job, const std::string& task) {
  std::vector<std::string> ids;
  for (auto& step : ask_steps(job, task, job_query_timeout)) ids.push_back(std::move(step.id));
  return ids;
}

bool hides_nodes() {
  return nodes_are_hidden;
}

// scontrol fails if it no longer knows one of the nodes, but prints the others.
std::vector<Node> ask_nodes(std::span<const std::string> nodes, milliseconds timeout) {
  if (nodes_are_hidden) return nodes_from_names(nodes);
  const auto result =
      os::run_command({"scontrol", "--all", "--oneliner", "show", "node", compress_hostlist(nodes)},
                      {.timeout = timeout, .max_bytes = max_node_bytes(nodes.size())});
  auto found = nodes_from_text(result.output);
  if (!found.empty() || !refuses_nodes(result.output)) return found;
  nodes_are_hidden = true;
  return nodes_from_names(nodes);
}

std::vector<Node> ask_nodes_and_ports(std::span<const std::string> nodes, milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  auto found = ask_nodes(nodes, timeout);
  const auto has_no_port = [](const Node& node) { return node.port == 0; };
  if (std::ranges::none_of(found, has_no_port)) return found;
  const auto left =
      std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now());
  const auto answer = ask_config(left);
  if (nodes_are_hidden && !answer.config)
    return {};  // nothing else shows whether slurmctld answers
  const auto port = answer.config.value_or(Config()).slurmd_port();
  for (auto& node : found) node.port = node.port == 0 ? port : node.port;
  return found;
}

ConfigAnswer ask_config(milliseconds timeout, int interrupt) {
  const auto result =
      os::run_command({"scontrol", "show", "config"},
                      {.timeout = timeout, .max_bytes = max_config_bytes, .interrupt = interrupt});
  if (result.succeeded) return {Config::from_text(result.output)};
  // A partial configuration, printed before time ran out, does not explain the failure.
  if (!result.in_time) return {};
  return {std::nullopt, std::string(text::split(result.output, '\n').front())};
}

LeafSwitches ask_leaf_switches(milliseconds timeout) {
  const auto result =
      os::run_command({"env", "-u", "SLURM_TOPO_LEN", "scontrol", "show", "topology"},
                      {.timeout = timeout, .max_bytes = max_topology_bytes});
  return result.succeeded ? leaf_switches_from_text(result.output) : LeafSwitches();
}

}  // namespace muster::slurm
