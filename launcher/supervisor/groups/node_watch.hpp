// What Slurm is asked and told about the nodes of all groups, once for all of them: which nodes are being
// drained (drain=), and that lost ones leave the job. The groups learn of it from the pool.
#pragma once

#include "core/slurm/allocation.hpp"
#include "launcher/supervisor/attempts/job_nodes.hpp"
#include "launcher/supervisor/attempts/periodic_task.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace muster::attempts {
class NodePool;
}

namespace muster::groups {

class NodeWatch {
 public:
  using Clock = std::chrono::steady_clock;

  struct Policy {
    std::chrono::milliseconds heartbeat;
    bool drain = false;
    std::chrono::milliseconds drain_interval = std::chrono::minutes{1};
  };

  // `pool` must outlive it.
  NodeWatch(attempts::NodePool& pool, slurm::Allocation allocation, const Policy& policy);
  NodeWatch(const NodeWatch&) = delete;
  NodeWatch& operator=(const NodeWatch&) = delete;

  // When to call act().
  [[nodiscard]] Clock::time_point next() const;

  // Does what is due. Each request to Slurm takes some seconds at most.
  void act();

 private:
  void learn_of_lost();
  void learn_of_gained(const std::string& node);
  void remove_lost();
  void ask_drained();

  attempts::NodePool& pool_;
  const Policy policy_;
  attempts::JobNodes jobs_;
  const attempts::PeriodicTask removal_;
  Clock::time_point next_look_ = Clock::now();
  std::optional<Clock::time_point> next_ask_;  // about drained nodes; no value without drain=
};

}  // namespace muster::groups
