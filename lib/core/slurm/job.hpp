// A job, as `scontrol --oneliner show job` prints it. Written for the outputs of Slurm 22.05 to 26.05, and
// independent of the order of their fields. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::slurm {

// The most that is read of scontrol's output about one job number. A job's line lists all its nodes, and for
// an array's number scontrol prints one line per task.
inline constexpr std::size_t max_job_bytes = 1048576;

// A text is empty if scontrol does not print the field.
struct Job {
  std::string id = {};  // the job's own number; each task of an array has one
  // The names by which Slurm's commands refer to this job alone. An array's number can mean all of its tasks,
  // and `scontrol update` takes a heterogeneous job's number to mean all of its components.
  std::string task = {};        // "42", or "40_2" for a task of an array
  std::string component = {};   // the same, or "42+1" for a component of a heterogeneous job
  std::string het_leader = {};  // the number of the heterogeneous job that it belongs to
  std::string user = {};        // "alice"
  std::string uid = {};         // "1000"
  std::string state = {};       // "RUNNING", "COMPLETING", "PREEMPTED", ...
  std::string reason = {};      // "NodeDown", ...; empty for Slurm's "None"
  bool preempted = false;       // was preempted in this run of the job
  bool timed_out = false;       // its time limit has expired
  std::uint32_t requeues = 0;   // how often it has been requeued, by the user or by Slurm
  bool may_requeue = false;     // false with JobRequeue=0 or --no-requeue
  bool batch = false;           // it has a batch script
  // submitted with --requeue=expedite: after a requeue Slurm starts it as soon as it can
  bool expedited = false;
  std::string batch_host = {};  // only for a batch job
  // The node whose slurmstepd creates the job's steps (SlurmctldParameters=enable_stepmgr, or --stepmgr);
  // empty if slurmctld creates them. Without that node, no step of the job can start.
  std::string step_manager = {};
  std::string submit_host = {};
  std::optional<std::chrono::system_clock::time_point> start = {};  // of this run of the job
  std::optional<std::chrono::system_clock::time_point> end = {};    // when its time limit expires
  std::string output_file = {};
  std::string error_file = {};
  std::string node_list = {};  // a host list; empty until the job has nodes
  // The nodes on which it has cores; scontrol prints them only with --details.
  std::string nodes_with_cores = {};
  // On the first of its nodes that has any; scontrol prints them only with --details.
  std::uint32_t gpus_of_node = 0;

  friend bool operator==(const Job&, const Job&) = default;
};

// The job with that number, or the array task with a name such as "40_2". No value if scontrol printed no
// line for it, or only a part of one. Times must be in Slurm's standard format and in this machine's time
// zone, as scontrol prints them with SLURM_TIME_FORMAT=standard.
std::optional<Job> job_from_text(std::string_view text, std::string_view id);

}  // namespace muster::slurm
