#include "core/metrics/families.hpp"

#include "core/cost/account.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace muster::metrics {
namespace {

using status::Run;
using status::Step;
using Samples = std::vector<Sample>;

// The states of a node, in the words of `muster status`. Each always has a sample: a series that comes and
// goes is hard to sum up.
constexpr std::array node_states{std::string_view("starting"), std::string_view("running"),
                                 std::string_view("done"), std::string_view("no agent"),
                                 std::string_view("lost")};

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

Samples one(double value) {
  return {{.value = value}};
}

Samples nodes(const Step& step) {
  Samples samples;
  for (const auto state : node_states) {
    const auto count = std::ranges::count(step.nodes, state, &status::Node::state);
    const auto name = state == "no agent" ? "no_agent" : std::string(state);
    samples.push_back({static_cast<double>(count), "state", name});
  }
  return samples;
}

Samples restarts(const Run& run) {
  Samples samples;
  for (const auto& [cause, count] : run.restarts) {
    samples.push_back({static_cast<double>(count), "cause", cause});
  }
  return samples;
}

Samples lost(const Run& run) {
  Samples samples;
  for (const auto& [cause, time] : cost::lost_parts(run.time)) {
    samples.push_back({seconds(time), "cause", std::string(cause)});
  }
  return samples;
}

Samples lost_gpus(const Run& run) {
  Samples samples;
  for (const auto& part : cost::lost_parts(run.time)) {
    const auto found = run.time.lost_gpus.find(part.cause);
    const auto value = found == run.time.lost_gpus.end() ? 0 : found->second;
    samples.push_back({value, "cause", std::string(part.cause)});
  }
  return samples;
}

Samples lost_work_limit(const Run& run) {
  return run.time.has_progress ? Samples() : one(seconds(cost::lost_work_limit(run.time)));
}

Samples held_up(const Run& run) {
  return run.slow_ranks ? one(seconds(run.time.held_up)) : Samples();
}

}  // namespace

std::span<const Family> families() {
  static const std::vector<Family> all{
      {"muster_attempts", Type::counter, "", "Attempts started, including the first.",
       [](const Step&, const Run& run) { return one(run.attempts); }},
      {"muster_restarts", Type::counter, "", "Restarts, by the reason the previous attempt ended.",
       [](const Step&, const Run& run) { return restarts(run); }},
      {"muster_restarts_left", Type::gauge, "", "Restarts remaining.",
       [](const Step& step, const Run&) { return one(step.restarts_left); }},
      {"muster_ranks", Type::gauge, "", "Ranks of the current attempt.",
       [](const Step& step, const Run&) { return one(step.ranks); }},
      {"muster_ranks_up", Type::gauge, "", "Ranks of the current attempt that are running.",
       [](const Step& step, const Run&) { return one(step.ranks_up); }},
      {"muster_nodes", Type::gauge, "", "Nodes of the current attempt, by their state.",
       [](const Step& step, const Run&) { return nodes(step); }},
      {"muster_gpus", Type::gauge, "", "GPUs available to the current attempt on its nodes.",
       [](const Step&, const Run& run) { return one(run.gpus); }},
      {"muster_hung", Type::gauge, "",
       "1 while hang= detects that no rank makes progress, otherwise 0.",
       [](const Step&, const Run& run) { return one(run.hung ? 1 : 0); }},
      {"muster_progress_step", Type::gauge, "",
       "The number read from the file that progress= names.",
       [](const Step&, const Run& run) { return run.progress ? one(*run.progress) : Samples(); }},
      {"muster_slow_ranks", Type::gauge, "",
       "Ranks, nodes and links that hold up the others, as detected by slow=.",
       [](const Step&, const Run& run) {
         return run.slow_ranks ? one(*run.slow_ranks) : Samples();
       }},
      {"muster_run_seconds", Type::gauge, "seconds", "Time since the first launch.",
       [](const Step&, const Run& run) { return one(seconds(run.time.wall)); }},
      {"muster_effective_seconds", Type::gauge, "seconds",
       "Time spent training, excluding program start-up and work that was repeated later.",
       [](const Step&, const Run& run) { return one(seconds(cost::effective(run.time))); }},
      {"muster_effective_ratio", Type::gauge, "ratio",
       "The ratio of muster_effective_seconds to muster_run_seconds.",
       [](const Step&, const Run& run) { return one(cost::effective_share(run.time)); }},
      {"muster_lost_seconds", Type::gauge, "seconds",
       "The rest of muster_run_seconds, by what caused the loss.",
       [](const Step&, const Run& run) { return lost(run); }},
      {"muster_lost_gpu_seconds", Type::gauge, "seconds",
       "muster_lost_seconds multiplied by the GPUs of each attempt; time in the queue does not count.",
       [](const Step&, const Run& run) { return lost_gpus(run); }},
      {"muster_lost_work_limit_seconds", Type::gauge, "seconds",
       "Without progress=: how much of muster_effective_seconds may be work done twice.",
       [](const Step&, const Run& run) { return lost_work_limit(run); }},
      {"muster_held_up_seconds", Type::gauge, "seconds",
       "The part of muster_effective_seconds in which slow ranks or links held up all others.",
       [](const Step&, const Run& run) { return held_up(run); }}};
  return all;
}

}  // namespace muster::metrics
