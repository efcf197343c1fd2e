#include "launcher/supervisor/attempts/node_preflight.hpp"

#include "core/contains.hpp"
#include "core/request/request.hpp"
#include "core/site/config.hpp"
#include "core/text/amounts.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/output.hpp"
#include "launcher/site/installed.hpp"
#include "launcher/site/job_facts.hpp"
#include "launcher/site/site.hpp"
#include "launcher/slurm/ask.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace muster::attempts {
namespace {

using preflight::Kind;
using preflight::Verdict;

constexpr std::chrono::milliseconds features_timeout{1000};
constexpr std::size_t max_lines = 16;

void announce(os::Severity severity, const std::string& line) {
  os::say(severity, "preflight: " + line);
}

std::string state_of(Kind kind) {
  if (kind == Kind::no_answer) return "does not answer";
  return kind == Kind::slow ? "is slow: " : "fails: ";
}

std::string_view action(bool used, bool replaced) {
  if (used) return "used";
  return replaced ? "replaced" : "left_out";
}

}  // namespace

std::string line_for(const std::string& node, const Verdict& verdict, bool used, bool replaced) {
  const auto name = text::printable(node);
  if (verdict.kind == Kind::warning) return fmt::format("{}: {}", name, verdict.what);
  const auto* const what = verdict.kind == Kind::no_answer ? "" : verdict.what.c_str();
  const auto* end = "; it is used anyway, because too few others are left";
  if (!used)
    end = replaced ? "; another node takes its place" : "; the attempt continues without it";
  return fmt::format("{} {}{}{}", name, state_of(verdict.kind), what, end);
}

NodePreflight::NodePreflight(const Launch& launch, std::string job) : launch_(launch) {
  order_.srun = launch.command.words.front();
  order_.job = std::move(job);
  order_.program = site::installed_program();
  order_.site = launch.files;
  order_.ports = launch.site.config().control_ports;
}

std::chrono::milliseconds NodePreflight::time_between() const {
  return preflight::times_of(launch_.request.preflight->limit, true).limit;
}

// The training's network, chosen as the agents do: by network=, or by the site's rule for the job.
std::vector<std::string> NodePreflight::interfaces(const std::string& first_node) const {
  const auto& config = launch_.site.config();
  const auto needs_feature = [](const auto& rule) { return !rule.conditions.feature.empty(); };
  std::string features;
  if (std::ranges::any_of(config.networks, needs_feature)) {
    const auto nodes = slurm::ask_nodes(std::span(&first_node, 1), features_timeout);
    if (!nodes.empty()) features = nodes.front().features;
  }
  const auto* const rule = site::matching_rule(
      config.networks, site::facts_of_job(launch_.site.environment(), std::move(features)));
  if (rule == nullptr) return launch_.request.network;
  return with_network_rule(launch_.request, *rule, config.policy).network;
}

void NodePreflight::run(std::uint32_t attempt, std::span<const restart::Candidate> candidates,
                        int interrupt) {
  verdicts_.clear();
  order_.nodes.clear();
  for (const auto& candidate : candidates) {
    if (candidate.fitness != restart::Fitness::unfit) order_.nodes.push_back(candidate.name);
  }
  if (order_.nodes.empty()) return;
  order_.interfaces = interfaces(order_.nodes.front());
  order_.times = preflight::times_of(launch_.request.preflight->limit, attempt > 0);
  auto seen = preflight::run_preflight(order_, site::current_environment(), interrupt);
  auto& observation = seen.observation;
  for (const auto& node : observation.nodes) {
    const auto before = counts_.find(node);
    observation.before.push_back(before == counts_.end() ? std::nullopt
                                                         : std::optional(before->second));
  }
  if (seen.failure.empty()) {
    const auto verdicts = preflight::verdicts(observation);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      if (verdicts[i].kind != Kind::well) verdicts_[observation.nodes[i]] = verdicts[i];
      if (observation.locals[i]) counts_[observation.nodes[i]] = observation.locals[i]->counts;
    }
    seen.failure = preflight::undecided(observation);
  }
  note(attempt, seen);
}

void NodePreflight::note(std::uint32_t attempt, const preflight::Seen& seen) {
  const auto median = preflight::median_of(seen.observation.links);
  const auto of_nccl = preflight::median_of(preflight::nccl_links(seen.observation.nccl));
  runs_.push_back({.attempt = attempt,
                   .duration = seen.duration,
                   .nodes = static_cast<std::uint32_t>(seen.observation.nodes.size()),
                   .rounds = seen.observation.rounds,
                   .latency_us = median.latency,
                   .bandwidth = median.bandwidth,
                   .nccl_latency_us = of_nccl.latency,
                   .nccl_bandwidth = of_nccl.bandwidth,
                   .problems = {},
                   .failure = seen.failure});
  nccl_lines_ = seen.failure.empty()
                    ? preflight::nccl_lines(seen.observation.nccl, seen.observation.nodes)
                    : std::vector<std::string>();
  said_ = false;
}

std::vector<restart::Candidate> NodePreflight::judge(
    std::vector<restart::Candidate> candidates) const {
  for (auto& candidate : candidates) {
    const auto found = verdicts_.find(candidate.name);
    if (found != verdicts_.end())
      candidate = preflight::lowered(std::move(candidate), found->second);
  }
  return candidates;
}

bool NodePreflight::finds_fault() const {
  return std::ranges::any_of(verdicts_,
                             [](const auto& each) { return each.second.kind > Kind::warning; });
}

void NodePreflight::conclude(std::span<const std::string> nodes, std::uint32_t wanted) {
  if (std::exchange(said_, true) || runs_.empty()) return;
  auto& run = runs_.back();
  const bool replaced = nodes.size() >= wanted;
  std::size_t lines = 0;
  for (const auto& [node, verdict] : verdicts_) {
    const bool used = contains(nodes, node);
    run.problems.push_back({.node = node,
                            .verdict = std::string(to_string(verdict.kind)),
                            .what = verdict.what,
                            .action = std::string(action(used, replaced))});
    if (++lines <= max_lines)
      announce(os::Severity::warning, line_for(node, verdict, used, replaced));
  }
  if (lines > max_lines)
    announce(os::Severity::warning,
             fmt::format("and {} more {}; report=FILE lists them all", lines - max_lines,
                         text::plural(lines - max_lines, "node")));
  if (!run.failure.empty()) announce(os::Severity::warning, run.failure);
  if (!launch_.request.verbose) return;
  announce(os::Severity::progress,
           fmt::format("{} in {}, {:.1f} s: latency {:.3f} ms, bandwidth {:.0f} MB/s (medians)",
                       text::count(run.nodes, "node"), text::count(run.rounds, "round"),
                       std::chrono::duration<double>(run.duration).count(), run.latency_us / 1000,
                       run.bandwidth / 1e6));
  for (const auto& line : nccl_lines_) announce(os::Severity::progress, line);
}

}  // namespace muster::attempts
