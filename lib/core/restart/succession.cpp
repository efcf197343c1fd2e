#include "core/restart/succession.hpp"

#include "core/contains.hpp"
#include "core/text/number.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::restart {
namespace {

constexpr std::string_view name_begin = "muster-successor-";

}  // namespace

std::string successor_name(Generation generation) {
  return fmt::format("{}{}", name_begin, generation);
}

std::optional<Generation> successor_generation(std::string_view name) {
  if (!name.starts_with(name_begin)) return std::nullopt;
  return text::number<Generation>(name.substr(name_begin.size()));
}

std::string succession_obstacle(const SuccessionFacts& facts) {
  if (facts.restarts == 0) return "without restarts=N, there are no further attempts";
  if (facts.host.empty()) {
    return "the run was not started from a batch script, so its supervisor does not run on a node of the job";
  }
  if (facts.allocated < 2) return "the job has no other node";
  if (!facts.step_manager.empty()) {
    return fmt::format(
        "{} manages the job's steps (enable_stepmgr), and without it no step can "
        "start on another node; use requeue=N",
        facts.step_manager);
  }
  if (facts.heartbeat > max_heartbeat_with_successor) {
    return fmt::format("heartbeat= must be at most {} s", max_heartbeat_with_successor.count());
  }
  return {};
}

std::string node_for_successor(const SuccessorPlaces& places, const std::string& host) {
  const auto is_usable = [&](const std::string& node) {
    return node != host && (places.job_nodes.empty() || contains(places.job_nodes, node));
  };
  for (const auto* const nodes : {&places.spares, &places.nodes, &places.job_nodes}) {
    const auto found = std::find_if(nodes->rbegin(), nodes->rend(), is_usable);
    if (found != nodes->rend()) return *found;
  }
  return {};
}

Right right_to_supervise(Generation own, const HostlessJob& now) {
  if (now.job.state != "RUNNING") return Right::lost;
  if (now.successor.value_or(0) > own + 1) return Right::lost;
  return now.host_lost ? Right::unknown : Right::holds;
}

}  // namespace muster::restart
