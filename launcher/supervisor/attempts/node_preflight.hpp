// preflight=: tests the nodes before an attempt, lowers the fitness of those that fail, and tells the user.
#pragma once

#include "core/preflight/verdict.hpp"
#include "core/report/preflight.hpp"
#include "core/restart/nodes.hpp"
#include "launcher/supervisor/attempts/launch.hpp"
#include "launcher/tools/preflight/preflight_step.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::attempts {

// One line for the user. `used`: the next attempt uses the node nevertheless. `replaced`: there are as many
// nodes as wanted without it.
std::string line_for(const std::string& node, const preflight::Verdict& verdict, bool used,
                     bool replaced);

class NodePreflight {
 public:
  NodePreflight(const Launch& launch, std::string job);

  // How long run() may take between two attempts.
  [[nodiscard]] std::chrono::milliseconds time_between() const;

  // Tests the candidates that can be used, before the attempt with that number. Stops early once the
  // descriptor `interrupt` is readable.
  void run(std::uint32_t attempt, std::span<const restart::Candidate> candidates, int interrupt);

  // Applies the results of the last run.
  [[nodiscard]] std::vector<restart::Candidate> judge(
      std::vector<restart::Candidate> candidates) const;
  [[nodiscard]] bool finds_fault() const;

  // Call it when the attempt's nodes have been chosen: tells the user what the tests found, and which of the
  // bad nodes are used.
  void conclude(std::span<const std::string> nodes, std::uint32_t wanted);

  [[nodiscard]] const std::vector<report::PreflightRun>& runs() const { return runs_; }

 private:
  [[nodiscard]] std::vector<std::string> interfaces(const std::string& first_node) const;
  void note(std::uint32_t attempt, const preflight::Seen& seen);

  const Launch& launch_;
  preflight::PreflightOrder order_;
  std::map<std::string, preflight::Verdict> verdicts_;  // from the last run
  std::map<std::string, preflight::Counts> counts_;     // from all runs, the last ones of each node
  std::vector<report::PreflightRun> runs_;
  std::vector<std::string> nccl_lines_;  // from the last run, for `verbose`
  bool said_ = true;                     // the user has been told the results of the last run
};

}  // namespace muster::attempts
