// The nodes that the next attempt may use: what Slurm reports about the job's nodes, what they report about
// themselves (health=), and how they did in the tests before an attempt (preflight=). If it is unknown which
// nodes the step will have, as in a heterogeneous one, there is nothing to search, and every query has an
// empty answer.
#pragma once

#include "core/report/preflight.hpp"
#include "core/report/record.hpp"
#include "core/report/report.hpp"
#include "core/restart/handover.hpp"
#include "core/restart/job_elasticity.hpp"
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
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::attempts {

class NodeSearch {
 public:
  using Clock = std::chrono::steady_clock;

  // Asks Slurm for the job's nodes if another attempt or a preflight needs them. Tells the user what the site
  // lacks to survive the loss of a node. Throws an Error of one line if spares= and nodes= cannot be
  // satisfied. `launch` must outlive it.
  explicit NodeSearch(const Launch& launch);

  // False if the nodes are unknown.
  [[nodiscard]] bool knows_nodes() const { return jobs_.has_value(); }
  [[nodiscard]] const restart::StepShape& shape() const { return shape_; }
  // How many the job had when its first supervisor began; 0 if unknown.
  [[nodiscard]] std::uint32_t allocated() const { return allocated_; }

  // Where the first attempt runs. No value: where srun's own options say. Runs the preflight. Throws an Error
  // of one line if too few nodes can be used.
  std::optional<restart::Start> first_nodes(std::span<const restart::AttemptHistory> past);

  // Call it after an attempt has ended. `killed_srun`: its srun could not exit by itself.
  void learn(const report::Record& record, const report::Report& report, bool killed_srun);
  // Takes over the attempt of a supervisor that has died: its steps may still be running. Only if the nodes
  // are known.
  void take_over(const restart::Handover& inherited, report::Record record);

  // Until this time, ranks may still be running on a lost node.
  [[nodiscard]] Clock::time_point fenced() const;

  // How long check() may take; no value if there is nothing to check.
  [[nodiscard]] std::optional<std::chrono::milliseconds> check_time() const;
  // Runs the health command and the preflight before attempt `number`. Stops early once the descriptor
  // `interrupt` is readable.
  void check(std::uint32_t number, int interrupt);

  // Takes at most two seconds, unless slurmctld does not answer: see JobNodes. `suspects`: nodes to use only
  // as a last resort.
  std::optional<std::vector<restart::Candidate>> candidates(
      std::span<const restart::Suspect> suspects, int interrupt);

  // As candidates() has just found it: JobNodes::lost_step_manager().
  [[nodiscard]] std::string lost_step_manager() const;

  // With groups=: takes the nodes for this group's next attempt. False if another group has taken one of them
  // since candidates().
  [[nodiscard]] bool take(std::span<const std::string> nodes);

  // Call it when the next attempt's nodes are known: tells the user what the preflight found.
  void conclude(std::span<const std::string> nodes, std::uint32_t wanted);

  // Whether Slurm still has that step, or an earlier one. Gives slurmctld a moment to forget it.
  [[nodiscard]] bool old_step_remains(const std::string& step) const;

  // The variables that srun needs for nodes that the job has gained since it began.
  [[nodiscard]] slurm::EnvironmentChange environment() const;

  // Removes lost nodes from the job while srun runs. With groups=, does nothing: see groups/node_watch.hpp.
  [[nodiscard]] PeriodicTask removal();

  // The nodes of a running attempt that are being drained, if others can replace them: it must then leave
  // them. Asks Slurm, with one request unless there are such nodes. With groups=, the pool knows them, and
  // Slurm is asked only whether others can replace them, once a minute.
  [[nodiscard]] std::vector<std::string> drained(std::span<const std::string> nodes);
  // How often to call it.
  [[nodiscard]] std::chrono::seconds drained_interval() const;

  [[nodiscard]] std::vector<std::string> in_use() const;
  [[nodiscard]] std::vector<std::string> lost() const;
  // The whole job's nodes, as Slurm has them. Call it only if they are known.
  [[nodiscard]] const slurm::Allocation& allocation() const { return jobs_->allocation(); }
  // From all attempts so far.
  [[nodiscard]] std::vector<report::PreflightRun> preflights() const;

 private:
  [[nodiscard]] bool reserves() const;    // chooses the step's nodes, so that others are left
  [[nodiscard]] bool is_elastic() const;  // another attempt may use other nodes
  bool find();
  // Applies spares= and nodes= to the step's size.
  void adapt(const srun::StepSize& asked);
  void forget();
  std::vector<restart::Candidate> open_nodes(std::vector<restart::Candidate> all);
  std::vector<restart::Candidate> ask_candidates(std::span<const restart::Suspect> suspects,
                                                 int interrupt);
  void learn_of_lost();
  void tell_of_lost(const std::map<std::string, Clock::time_point>& before);
  std::vector<std::string> ask_drained(std::span<const std::string> nodes);
  std::optional<restart::Start> choose_first(std::span<const restart::AttemptHistory> past);

  const Launch& launch_;
  std::optional<JobNodes> jobs_;
  std::optional<NodeHealth> health_;        // as jobs_
  std::optional<NodePreflight> preflight_;  // no value without preflight=
  restart::Elasticity elasticity_;          // of this step
  restart::StepShape shape_;
  bool leaves_nodes_ = false;  // restart::leaves_nodes(), whichever nodes srun uses
  std::uint32_t allocated_ = 0;
  bool old_step_remains_ = false;  // a lost node's step may still hold its cores
  Clock::time_point ask_again_ = Clock::time_point::min();  // whether drained nodes can be replaced
};

}  // namespace muster::attempts
