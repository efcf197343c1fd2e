// Between two attempts: whether nodes are asked about themselves, and what comes of it.
#pragma once

#include "core/report/record.hpp"
#include "core/restart/node_fitness.hpp"
#include "launcher/supervisor/attempts/launch.hpp"
#include "launcher/tools/health/check_step.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::attempts {

// The user's words or Slurm's variables give the step GPUs. Pure.
bool has_gpus(const srun::Command& command, const Environment& environment);

class NodeHealth {
 public:
  NodeHealth(const Launch& launch, std::string job);

  // An attempt has ended; of `left_srun` nobody knows whether all its ranks have.
  void learn(const report::Record& record, bool left_srun);

  // How long ask() may take; nothing where the nodes need not be asked, which costs a step.
  [[nodiscard]] std::optional<std::chrono::milliseconds> time() const;

  // Those of the candidates that can be used; of a step that is `fixed` to its nodes no others. Until the
  // descriptor `interrupt` is readable.
  void ask(std::span<const restart::Candidate> candidates, bool fixed, int interrupt);

  // By the last ask(). Says once if the health command is of no use.
  [[nodiscard]] std::vector<restart::Candidate> judge(std::vector<restart::Candidate> candidates);

 private:
  const health::CheckStep step_;
  health::NodeCheckOrder order_;
  std::vector<std::string> last_nodes_;  // of the last attempt
  bool in_doubt_ = false;
  bool said_ = false;
  restart::NodeChecks checks_;
};

}  // namespace muster::attempts
