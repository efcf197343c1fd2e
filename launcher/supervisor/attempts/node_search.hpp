// The nodes that the next attempt may use: what Slurm says of the job's nodes, what these say of themselves
// (health=), and how they did in the tests before an attempt (preflight=).
//
// If nobody knows which nodes the step will have, as in a heterogeneous one, there is nothing to search: then
// each question has an empty answer.
#pragma once

#include "core/report/preflight.hpp"
#include "core/report/record.hpp"
#include "core/report/report.hpp"
#include "core/restart/handover.hpp"
#include "core/restart/plan_next.hpp"
#include "core/slurm/allocation.hpp"
#include "launcher/slurm/srun_environment.hpp"
#include "launcher/supervisor/attempts/job_nodes.hpp"
#include "launcher/supervisor/attempts/launch.hpp"
#include "launcher/supervisor/attempts/node_health.hpp"
#include "launcher/supervisor/attempts/node_preflight.hpp"
#include "launcher/supervisor/attempts/periodic_task.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::attempts {

class NodeSearch {
 public:
  using Clock = std::chrono::steady_clock;

  // Asks Slurm for the job's nodes if another attempt or a preflight needs them. Says what the site lacks for
  // outliving a node. Throws Error, one line, if spares= and nodes= cannot be had. `launch` must outlive it.
  explicit NodeSearch(const Launch& launch);

  // False if nobody knows the nodes.
  [[nodiscard]] bool knows_nodes() const { return jobs_.has_value(); }
  [[nodiscard]] const restart::StepShape& shape() const { return shape_; }
  // How many the job had when its first supervisor began; 0 if nobody knows.
  [[nodiscard]] std::uint32_t allocated() const { return allocated_; }

  // Where the first attempt runs. No value: where srun's own options say. Runs the preflight. Throws Error,
  // one line, if too few nodes can be used.
  std::optional<restart::Start> first_nodes(std::span<const restart::AttemptHistory> past);

  // An attempt has ended. `killed_srun`: its srun could not end by itself.
  void learn(const report::Record& record, const report::Report& report, bool killed_srun);
  // The attempt of a supervisor that has died: its steps may still run. Only if the nodes are known.
  void take_over(const restart::Handover& inherited, report::Record record);

  // Until then ranks may still run on a lost node.
  [[nodiscard]] Clock::time_point fenced() const;

  // How long check() may take; no value if there is nothing to check.
  [[nodiscard]] std::optional<std::chrono::milliseconds> check_time() const;
  // Runs the health command and the preflight before attempt `number`. Stops early once the descriptor
  // `interrupt` is readable.
  void check(std::uint32_t number, int interrupt);

  // Takes two seconds at most, unless slurmctld does not answer: see JobNodes. `doubted`: nodes that have
  // failed first too often.
  std::optional<std::vector<restart::Candidate>> candidates(std::span<const std::string> doubted,
                                                            int interrupt);

  // The next attempt runs on these nodes: says what the preflight has found.
  void conclude(std::span<const std::string> nodes, std::uint32_t wanted);

  // Slurm still has that step, or an earlier one. Gives slurmctld a moment to forget it.
  [[nodiscard]] bool old_step_remains(const std::string& step) const;

  // The variables that srun needs for nodes that the job has got since it began.
  [[nodiscard]] slurm::EnvironmentChange environment() const;

  // Removes lost nodes from the job while srun runs.
  [[nodiscard]] PeriodicTask removal();

  [[nodiscard]] std::vector<std::string> in_use() const;
  [[nodiscard]] std::vector<std::string> lost() const;
  // Of the whole job, as Slurm has them. Only if they are known.
  [[nodiscard]] const slurm::Allocation& allocation() const { return jobs_->allocation(); }
  // Of all attempts so far.
  [[nodiscard]] std::vector<report::PreflightRun> preflights() const;

 private:
  bool find();
  void forget();
  std::optional<restart::Start> choose_first(std::span<const restart::AttemptHistory> past,
                                             bool reserves);

  const Launch& launch_;
  std::optional<JobNodes> jobs_;
  std::optional<NodeHealth> health_;        // as jobs_
  std::optional<NodePreflight> preflight_;  // no value without preflight=
  restart::StepShape shape_;
  std::uint32_t allocated_ = 0;
  bool old_step_remains_ = false;  // it holds its cores as long as its node is lost
};

}  // namespace muster::attempts
