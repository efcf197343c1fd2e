// The nodes of the allocation across all attempts: which of them are lost, which have been removed from the
// job, and which can be used now.
#pragma once

#include "core/report/record.hpp"
#include "core/restart/nodes.hpp"
#include "core/slurm/allocation.hpp"
#include "core/slurm/node.hpp"
#include "core/slurm/switches.hpp"
#include "launcher/supervisor/attempts/periodic_task.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace muster::slurm {
struct EnvironmentChange;
}

namespace muster::attempts {

class JobNodes {
 public:
  using Clock = std::chrono::steady_clock;

  JobNodes(slurm::Allocation allocation, std::chrono::milliseconds heartbeat);

  // Learns what an attempt has shown about its nodes. `began` is the record's moment 0.
  void learn(const report::Record& record, Clock::time_point began);

  // For the batch host, which Slurm never removes from a job.
  void never_remove(const std::string& node) { kept_ = node; }

  // Until this time, ranks may still be running on a lost node.
  [[nodiscard]] Clock::time_point fenced() const;

  // Asks Slurm, and the slurmd of each lost node: for at most two seconds. `suspects`: nodes to use only as
  // a last resort. The job may have gained nodes since it began. If slurmctld does not answer, tells the
  // user so and waits for it: up to ten minutes, or until the descriptor `interrupt` is readable.
  [[nodiscard]] std::vector<restart::Candidate> candidates(
      std::span<const restart::Suspect> suspects, int interrupt = -1);

  // The node that manages the job's steps, if candidates() has just found that it is lost; otherwise empty.
  [[nodiscard]] const std::string& lost_step_manager() const { return lost_manager_; }

  // True if candidates() has waited for slurmctld since the last attempt, and it answers again. A slurmctld
  // that has just started (22.05) counts the memory of earlier steps as taken, even for a step that overlaps
  // them.
  [[nodiscard]] bool waited_for_controller() const { return waited_; }

  // Asks Slurm which nodes the job has now. False if it does not answer.
  bool ask_which_nodes(std::chrono::milliseconds timeout);

  // Removes lost nodes from the job before Slurm ends it because of them.
  [[nodiscard]] PeriodicTask removal();

  // The variables that srun needs once the job has gained nodes, which Slurm's own variables do not include.
  [[nodiscard]] slurm::EnvironmentChange environment() const;

  [[nodiscard]] std::vector<std::string> lost() const;

  // Call it for a node that was lost in an earlier attempt, and has been fenced since.
  void was_lost(const std::string& node);
  // Likewise, for one that another step lost: it may not have been fenced. Ignored if the node is lost
  // already.
  void was_lost(const std::string& node, Clock::time_point last_word);
  // Another step has used it since, so it is not lost.
  void was_used_elsewhere(const std::string& node) { lost_.erase(node); }
  // The lost nodes, each with its last word.
  [[nodiscard]] std::map<std::string, Clock::time_point> last_words() const;

  // Those that removal() has removed, unless Slurm has given them back.
  [[nodiscard]] std::vector<std::string> removed() const {
    return {removed_.begin(), removed_.end()};
  }

  // The job's nodes that are not known to be lost, in the job's order.
  [[nodiscard]] std::vector<std::string> in_use() const;

  [[nodiscard]] const slurm::Allocation& allocation() const { return allocation_; }

 private:
  struct Lost {
    Clock::time_point last_word;
    bool in_last_attempt = true;
  };

  [[nodiscard]] bool is_unheard(const report::NodeRecord& node, const report::Moment& over) const;
  [[nodiscard]] std::set<std::string> back_again(std::span<const slurm::Node> states) const;
  [[nodiscard]] restart::Candidate judge(const std::string& node,
                                         const std::set<std::string>& returned) const;
  void find_unreachable(std::span<const slurm::Node> states);
  void add_leaf_switches(std::span<restart::Candidate> candidates,
                         std::chrono::milliseconds timeout);
  std::set<std::string> spare_returned();
  void remove_lost();
  [[nodiscard]] std::optional<Clock::time_point> removal_due();

  slurm::Allocation allocation_;  // including nodes that have left the job
  std::set<std::string> in_job_;  // the nodes that the job has now
  bool has_grown_ = false;
  const std::chrono::milliseconds heartbeat_;
  std::map<std::string, Lost> lost_;
  std::map<std::string, std::string> stuck_;  // nodes with processes that cannot be killed, and why
  std::set<std::string> removed_;
  std::string kept_;  // never removed
  std::string lost_manager_;
  std::optional<Clock::time_point>
      failed_launch_;  // when the last attempt began, if none of its ranks started
  // When a node that had fallen silent by the end of the last attempt was last heard from.
  std::optional<Clock::time_point> unheard_;
  std::optional<slurm::LeafSwitches> leaf_switches_;  // asked once, when a node cannot be used
  bool waited_in_vain_ = false;  // since the last attempt, for slurmctld, to no avail
  bool waited_ = false;          // likewise
  bool removal_refused_ = false;
  bool refused_once_ = false;
  // When to ask slurmctld about a removal again.
  Clock::time_point ask_again_ = Clock::time_point::min();
  // How long after it was last heard from a node must be removed; Slurm is asked once, when a node is lost.
  // No inner value: never.
  std::optional<std::optional<std::chrono::seconds>> removal_delay_;
};

}  // namespace muster::attempts
