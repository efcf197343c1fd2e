// Decides whether the nodes have to check themselves between two attempts, and takes the results into
// account.
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

// Whether srun's options or Slurm's variables give the step GPUs. Pure.
bool has_gpus(const srun::Command& command, const Environment& environment);

class NodeHealth {
 public:
  NodeHealth(const Launch& launch, std::string job);

  // Call it after an attempt has ended. `killed_srun`: it is unknown whether all its ranks have ended.
  void learn(const report::Record& record, bool killed_srun);

  // How long ask() may take. No value if the nodes need not be asked: asking costs a step.
  [[nodiscard]] std::optional<std::chrono::milliseconds> time() const;

  // Asks the candidates that can be used. `fixed`: the step cannot use other nodes, so only its own are
  // asked. Stops early once the descriptor `interrupt` is readable.
  void ask(std::span<const restart::Candidate> candidates, bool fixed, int interrupt);

  // Applies the results of the last ask(). Tells the user once if the health command is useless.
  [[nodiscard]] std::vector<restart::Candidate> judge(std::vector<restart::Candidate> candidates);

 private:
  const health::CheckStep step_;
  health::NodeCheckOrder order_;
  std::vector<std::string> last_nodes_;  // the last attempt's
  bool in_doubt_ = false;
  bool said_ = false;
  restart::NodeChecks checks_;
};

}  // namespace muster::attempts
