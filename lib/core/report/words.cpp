// The words for the report's values, as used in its JSON.
#include "core/report/report.hpp"

#include <array>
#include <utility>

namespace muster::report {
namespace {

constexpr std::array results{
    std::pair{Result::ok, std::string_view("ok")},
    std::pair{Result::failed, std::string_view("failed")},
    std::pair{Result::cancelled, std::string_view("cancelled")},
    std::pair{Result::timeout, std::string_view("timeout")},
    std::pair{Result::preempted, std::string_view("preempted")},
};

constexpr std::array causes{
    std::pair{Cause::program, std::string_view("program")},
    std::pair{Cause::signal, std::string_view("signal")},
    std::pair{Cause::out_of_memory, std::string_view("out_of_memory")},
    std::pair{Cause::node, std::string_view("node")},
    std::pair{Cause::slurm, std::string_view("slurm")},
    std::pair{Cause::user, std::string_view("user")},
    std::pair{Cause::time_limit, std::string_view("time_limit")},
    std::pair{Cause::preemption, std::string_view("preemption")},
    std::pair{Cause::launch, std::string_view("launch")},
    std::pair{Cause::hang, std::string_view("hang")},
};

constexpr std::array node_states{
    std::pair{NodeState::silent, std::string_view("silent")},
    std::pair{NodeState::watched, std::string_view("watched")},
    std::pair{NodeState::done, std::string_view("done")},
    std::pair{NodeState::agent_gone, std::string_view("agent_gone")},
    std::pair{NodeState::lost, std::string_view("lost")},
};

constexpr std::array kinds{
    std::pair{VictimKind::ended_by_muster, std::string_view("ended_by_muster")},
    std::pair{VictimKind::lost_peer, std::string_view("lost_peer")},
    std::pair{VictimKind::same_failure, std::string_view("same_failure")},
    std::pair{VictimKind::killed, std::string_view("killed")},
    std::pair{VictimKind::later_failure, std::string_view("later_failure")},
};

std::string_view word_of(const auto& words, auto value) {
  for (const auto& [known, word] : words) {
    if (known == value) return word;
  }
  return {};
}

}  // namespace

std::string_view to_string(Result result) {
  return word_of(results, result);
}

std::string_view to_string(Cause cause) {
  return word_of(causes, cause);
}

std::string_view to_string(NodeState state) {
  return word_of(node_states, state);
}

std::string_view to_string(VictimKind kind) {
  return word_of(kinds, kind);
}

}  // namespace muster::report
