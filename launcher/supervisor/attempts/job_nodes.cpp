#include "launcher/supervisor/attempts/job_nodes.hpp"

#include "core/text/amounts.hpp"
#include "core/text/list.hpp"
#include "launcher/channel/watch/lease.hpp"
#include "launcher/os/output.hpp"
#include "launcher/slurm/answer.hpp"
#include "launcher/slurm/ask.hpp"
#include "launcher/slurm/controller.hpp"
#include "launcher/slurm/node_variables.hpp"
#include "launcher/slurm/orders.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>

#include <fmt/format.h>

namespace muster::attempts {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds states_timeout{1400};
constexpr milliseconds allocation_timeout{750};
constexpr milliseconds answer_timeout{500};
constexpr milliseconds config_timeout{2000};
constexpr milliseconds removal_timeout{7000};  // older Slurm tries for five seconds
constexpr std::chrono::seconds retry_delay{3};
// Allows for the clocks of two machines, and for the last process to disappear.
constexpr milliseconds fence_margin{300};

std::string ranks_text(const std::vector<std::uint32_t>& ranks) {
  return text::ranks(ranks) + " cannot be killed";
}

const slurm::Node* find(std::span<const slurm::Node> states, const std::string& node) {
  const auto found = std::ranges::find(states, node, &slurm::Node::name);
  return found == states.end() ? nullptr : &*found;
}

// The candidate, judged again with Slurm's state of its node.
restart::Candidate judged_by(const slurm::Node& state, restart::Candidate candidate) {
  if (candidate.fitness == restart::Fitness::unfit) return candidate;
  const auto reason = state.reason.empty() ? "" : ": " + state.reason;
  if (state.down) return {candidate.name, restart::Fitness::unfit, "down" + reason};
  if (state.drained) return {candidate.name, restart::Fitness::doubtful, "drained" + reason};
  if (state.not_responding) {
    return {candidate.name, restart::Fitness::doubtful, "not responding to Slurm"};
  }
  return candidate;
}

}  // namespace

JobNodes::JobNodes(slurm::Allocation allocation, milliseconds heartbeat)
    : allocation_(std::move(allocation)),
      in_job_(allocation_.nodes.begin(), allocation_.nodes.end()),
      heartbeat_(heartbeat) {}

void JobNodes::learn(const report::Record& record, Clock::time_point began) {
  for (auto& [name, lost] : lost_) lost.in_last_attempt = false;
  stuck_.clear();
  waited_in_vain_ = false;
  waited_ = false;
  const auto has_started = [](const report::NodeRecord& node) { return node.started.has_value(); };
  const bool started = !record.ends.empty() || std::ranges::any_of(record.nodes, has_started);
  unheard_.reset();
  failed_launch_ = started ? std::nullopt : std::optional(began);
  for (const auto& node : record.nodes) {
    if (!node.stuck_ranks.empty()) stuck_[node.name] = ranks_text(node.stuck_ranks);
    if (node.state == report::NodeState::lost) {
      const auto word = node.last_word ? began + node.last_word->time : began;
      lost_[node.name] = {std::chrono::time_point_cast<Clock::duration>(word), true};
    } else if (node.state != report::NodeState::silent) {
      lost_.erase(node.name);
    }
    if (is_unheard(node, record.over)) {
      const auto word = std::chrono::time_point_cast<Clock::duration>(began + node.last_word->time);
      unheard_ = std::max(word, unheard_.value_or(word));
    }
  }
}

// The attempt was over before it was clear whether this node is lost. A node that can still hear the
// supervisor learns that the attempt is over.
bool JobNodes::is_unheard(const report::NodeRecord& node, const report::Moment& over) const {
  return node.state == report::NodeState::watched && node.last_word &&
         over.time - node.last_word->time > heartbeat_ / 3;
}

// With --no-kill, Slurm itself removes a node that is down from a job, and another job may give its nodes to
// this one.
bool JobNodes::ask_which_nodes(milliseconds timeout) {
  auto now = slurm::ask_allocation(allocation_.job, timeout);
  if (!now) return false;
  in_job_ = {now->nodes.begin(), now->nodes.end()};
  std::erase_if(removed_, [this](const auto& node) { return in_job_.contains(node); });
  const std::set<std::string> known(allocation_.nodes.begin(), allocation_.nodes.end());
  for (auto& node : now->nodes) {
    if (known.contains(node)) continue;
    has_grown_ = true;
    allocation_.nodes.push_back(std::move(node));
  }
  allocation_.without_cores = std::move(now->without_cores);
  allocation_.component = std::move(now->component);
  allocation_.step_manager = std::move(now->step_manager);
  return true;
}

slurm::EnvironmentChange JobNodes::environment() const {
  if (!has_grown_) return {};
  std::vector<std::string> nodes;
  std::ranges::copy_if(allocation_.nodes, std::back_inserter(nodes),
                       [this](const auto& node) { return in_job_.contains(node); });
  return slurm::node_variables(nodes);
}

std::vector<std::string> JobNodes::lost() const {
  std::vector<std::string> nodes;
  for (const auto& [name, lost] : lost_) nodes.push_back(name);
  return nodes;
}

void JobNodes::was_lost(const std::string& node) {
  lost_[node] = {Clock::now() - std::chrono::hours(1), false};
}

void JobNodes::was_lost(const std::string& node, Clock::time_point last_word) {
  lost_.try_emplace(node, Lost{last_word, false});
}

std::map<std::string, JobNodes::Clock::time_point> JobNodes::last_words() const {
  std::map<std::string, Clock::time_point> words;
  for (const auto& [name, lost] : lost_) words.emplace(name, lost.last_word);
  return words;
}

std::vector<std::string> JobNodes::in_use() const {
  std::vector<std::string> nodes;
  std::ranges::copy_if(allocation_.nodes, std::back_inserter(nodes), [&](const auto& node) {
    return in_job_.contains(node) && !lost_.contains(node);
  });
  return nodes;
}

JobNodes::Clock::time_point JobNodes::fenced() const {
  auto time = Clock::time_point::min();
  if (unheard_) time = *unheard_ + watch::fence_time(heartbeat_) + fence_margin;
  for (const auto& [name, lost] : lost_) {
    time = std::max(time, lost.last_word + watch::fence_time(heartbeat_) + fence_margin);
  }
  return time;
}

// The lost nodes whose slurmd answers again.
std::set<std::string> JobNodes::back_again(std::span<const slurm::Node> states) const {
  std::vector<slurm::Node> silent;
  for (const auto& state : states) {
    if (lost_.contains(state.name) && !removed_.contains(state.name)) silent.push_back(state);
  }
  const auto answers = slurm::answer(silent, answer_timeout);
  std::set<std::string> returned;
  for (std::size_t i = 0; i < silent.size(); ++i) {
    if (answers[i]) returned.insert(silent[i].name);
  }
  return returned;
}

// A node that is lost between two attempts, when nothing watches it, makes the next launch fail. If no node
// answers, it is not the nodes that are to blame.
void JobNodes::find_unreachable(std::span<const slurm::Node> states) {
  std::vector<slurm::Node> others;
  for (const auto& state : states) {
    if (!lost_.contains(state.name) && !removed_.contains(state.name)) others.push_back(state);
  }
  const auto answers = slurm::answer(others, answer_timeout);
  if (std::ranges::none_of(answers, std::identity())) return;
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (!answers[i]) lost_[others[i].name] = {*failed_launch_, true};
  }
}

restart::Candidate JobNodes::judge(const std::string& node,
                                   const std::set<std::string>& returned) const {
  using restart::Fitness;
  if (removed_.contains(node)) return {node, Fitness::unfit, "removed from the job"};
  const auto stuck = stuck_.find(node);
  if (stuck != stuck_.end()) return {node, Fitness::unfit, stuck->second};
  if (!in_job_.contains(node)) return {node, Fitness::unfit, "no longer in the job"};
  if (has_grown_ && std::ranges::count(allocation_.without_cores, node) > 0) {
    return {node, Fitness::unfit, "Slurm has given the job no cores on it"};
  }
  const auto lost = lost_.find(node);
  if (lost == lost_.end()) return {node, Fitness::fit, ""};
  if (!returned.contains(node)) return {node, Fitness::unfit, "lost: no heartbeat"};
  if (!lost->second.in_last_attempt) return {node, Fitness::fit, ""};
  return {node, Fitness::doubtful, "lost, but responding again"};
}

std::vector<restart::Candidate> JobNodes::candidates(std::span<const restart::Suspect> suspects,
                                                     int interrupt) {
  const auto deadline = Clock::now() + states_timeout;
  const auto left = [deadline] {
    return std::max(std::chrono::duration_cast<milliseconds>(deadline - Clock::now()),
                    milliseconds{100});
  };
  ask_which_nodes(allocation_timeout);
  auto states = slurm::ask_nodes_and_ports(allocation_.nodes, left());
  // Without slurmctld the attempt could not start, but would cost a restart.
  if (states.empty() && !waited_in_vain_) {
    waited_in_vain_ = !slurm::await_controller(interrupt);
    waited_ = !waited_in_vain_;
    if (waited_) {
      ask_which_nodes(allocation_timeout);
      states = slurm::ask_nodes_and_ports(allocation_.nodes, states_timeout);
    }
  }
  if (failed_launch_) find_unreachable(states);
  const auto returned = back_again(states);
  const auto& manager = allocation_.step_manager;
  const bool is_lost = lost_.contains(manager) && !returned.contains(manager);
  lost_manager_ = is_lost ? manager : std::string();
  std::vector<restart::Candidate> all;
  for (const auto& node : allocation_.nodes) {
    auto candidate = judge(node, returned);
    if (const auto* const state = find(states, node)) candidate = judged_by(*state, candidate);
    const auto suspect = std::ranges::find(suspects, node, &restart::Suspect::node);
    if (candidate.fitness < restart::Fitness::suspect && suspect != suspects.end()) {
      candidate = {node, restart::Fitness::suspect, suspect->why};
    }
    all.push_back(std::move(candidate));
  }
  add_leaf_switches(all, left());
  return all;
}

// Leaf switches matter only when a node has to be replaced.
void JobNodes::add_leaf_switches(std::span<restart::Candidate> candidates, milliseconds timeout) {
  const auto is_fit = [](const auto& node) { return node.fitness == restart::Fitness::fit; };
  if (std::ranges::all_of(candidates, is_fit)) return;
  if (!leaf_switches_) leaf_switches_ = slurm::ask_leaf_switches(timeout);
  for (auto& node : candidates) {
    const auto leaf = leaf_switches_->find(node.name);
    if (leaf != leaf_switches_->end()) node.leaf = leaf->second;
  }
}

std::optional<JobNodes::Clock::time_point> JobNodes::removal_due() {
  if (removal_refused_) return std::nullopt;
  if (Clock::now() < ask_again_) return ask_again_;
  std::optional<Clock::time_point> time;
  for (const auto& [name, lost] : lost_) {
    if (removed_.contains(name) || !in_job_.contains(name) || name == kept_) continue;
    if (!removal_delay_) {
      const auto timeout =
          slurm::ask_config(config_timeout).config.value_or(slurm::Config()).slurmd_timeout();
      if (!timeout) return ask_again_ = Clock::now() + retry_delay;
      removal_delay_ = slurm::removal_timeout(*timeout);
    }
    if (!*removal_delay_) return std::nullopt;
    const auto due = lost.last_word + **removal_delay_;
    time = time ? std::min(*time, due) : due;
  }
  return time;
}

PeriodicTask JobNodes::removal() {
  return {.next = [this] { return removal_due(); },
          .act =
              [this] {
                const auto time = removal_due();
                if (time && *time <= Clock::now()) remove_lost();
              }};
}

// Slurm does not mark a node down if its slurmd answers, so such a node need not leave the job.
std::set<std::string> JobNodes::spare_returned() {
  std::vector<std::string> names;
  for (const auto& [name, lost] : lost_) names.push_back(name);
  auto returned = back_again(slurm::ask_nodes_and_ports(names, states_timeout));
  for (const auto& name : returned) lost_[name].last_word = Clock::now();
  return returned;
}

// In one call for all nodes, because older Slurm permits only one such call per job.
void JobNodes::remove_lost() {
  ask_which_nodes(allocation_timeout);
  const auto returned = spare_returned();
  const auto time = removal_due();
  if (!time || *time > Clock::now()) return;
  std::vector<std::string> rest;
  std::vector<std::string> gone;
  for (const auto& node : allocation_.nodes) {
    if (!in_job_.contains(node) || removed_.contains(node)) continue;
    const bool stays = !lost_.contains(node) || returned.contains(node) || node == kept_;
    (stays ? rest : gone).push_back(node);
  }
  if (gone.empty()) return;
  const auto names = text::join(gone, ", ");
  const auto& component = allocation_.component.empty() ? allocation_.job : allocation_.component;
  const auto why = slurm::keep_only(component, rest, removal_timeout);
  // If slurmctld does not answer, or has just come back, that is not a refusal.
  const bool answers = why.empty() || slurm::controller_answers(config_timeout);
  if (!why.empty() && !(answers && refused_once_)) {
    refused_once_ = answers;
    ask_again_ = Clock::now() + retry_delay;
    return;
  }
  removal_refused_ = !why.empty();
  if (why.empty()) {
    for (const auto& node : gone) removed_.insert(node);
    os::say(os::Severity::progress,
            fmt::format("Slurm removed {} from job {}; the job continues", names, allocation_.job));
    return;
  }
  os::say(os::Severity::warning,
          fmt::format("Slurm refuses to remove {} from job {} ({}): Slurm may end the job when it "
                      "marks the {} down; submit with --no-kill",
                      names, allocation_.job, why, text::plural(gone.size(), "node")));
}

}  // namespace muster::attempts
