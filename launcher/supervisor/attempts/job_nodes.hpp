// The allocation's nodes over all attempts: which are lost, which have been removed from the job,
// and which can be used now.
#pragma once

#include "core/report/record.hpp"
#include "core/restart/nodes.hpp"
#include "core/slurm/allocation.hpp"
#include "core/slurm/node.hpp"
#include "core/slurm/switches.hpp"
#include "launcher/slurm/srun_environment.hpp"
#include "launcher/supervisor/attempts/attempt.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace muster::attempts {

class JobNodes {
 public:
  using Clock = std::chrono::steady_clock;

  JobNodes(slurm::Allocation allocation, std::chrono::milliseconds heartbeat);

  // What an attempt has shown of its nodes. `began` is the record's time 0.
  void learn(const report::Record& record, Clock::time_point began);

  // The batch host, which Slurm never takes out of a job.
  void never_remove(const std::string& node) { kept_ = node; }

  // Until then ranks may still run on a node that is lost.
  [[nodiscard]] Clock::time_point fenced() const;

  // Asks Slurm, and the nodes that were lost: for two seconds at most. `doubted` have failed first
  // too often. A job may have got more nodes since it began. Waits for a slurmctld that does not
  // answer, up to ten minutes, and says so; no longer once the descriptor `interrupt` is readable.
  [[nodiscard]] std::vector<restart::Candidate> candidates(std::span<const std::string> doubted,
                                                           int interrupt = -1);

  // For slurmctld, since the last attempt, and it answers again. One that has just begun (22.05) counts the
  // memory of the steps before as taken, for a step beside them, too.
  [[nodiscard]] bool waited_for_controller() const { return waited_; }

  // Removes lost nodes from the job before Slurm ends it because of them.
  [[nodiscard]] Chore removal();

  // What srun has to have in its environment: where the job has got more nodes, Slurm's variables
  // there know nothing of them.
  [[nodiscard]] slurm::EnvironmentChange environment() const;

  [[nodiscard]] std::vector<std::string> lost() const;

  // Lost in an earlier attempt, and fenced since.
  void was_lost(const std::string& node);

  // Those of the job that are not known to be lost, in its order.
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
  void ask_which_nodes(std::chrono::milliseconds timeout);
  void add_leaf_switches(std::span<restart::Candidate> candidates,
                         std::chrono::milliseconds timeout);
  void spare_returned();
  void remove_lost();
  [[nodiscard]] std::optional<Clock::time_point> time_to_remove();

  slurm::Allocation allocation_;  // with the nodes that the job has no more
  std::set<std::string> in_job_;  // which nodes it has now
  bool has_grown_ = false;
  const std::chrono::milliseconds heartbeat_;
  std::map<std::string, Lost> lost_;
  std::map<std::string, std::string> stuck_;  // a node, and why
  std::set<std::string> removed_;
  std::string kept_;  // never removed
  std::optional<Clock::time_point>
      failed_launch_;  // when the last attempt began, if no rank of it did
  // The last word of a node that was not heard any more when the last attempt ended.
  std::optional<Clock::time_point> unheard_;
  std::optional<slurm::LeafSwitches> leaf_switches_;  // asked once, when a node cannot be used
  bool waited_in_vain_ = false;                       // for slurmctld, since the last attempt
  bool waited_ = false;                               // likewise
  bool removal_refused_ = false;
  bool refused_once_ = false;
  Clock::time_point ask_again_ = Clock::time_point::min();  // slurmctld, about a removal
  // How long after a node's last word it must be removed; asked once, when a node is lost.
  std::optional<std::optional<std::chrono::seconds>> patience_;
};

}  // namespace muster::attempts
