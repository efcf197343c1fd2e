// The messages between the shim and its agent, as values.
//
//   shim  -> agent   StepFacts once, TasksStarted once, then one TaskExit per task, and before it a
//                    TaskUnbound if the kernel refused its CPUs
//   agent -> shim    NodePlan or Refusal once; `busy` if after the last task it has more to do than to
//                    clean up; `done` after that
//
// decode_*() returns no value for a malformed or overlong message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::wire {

enum class Kind : std::uint32_t {
  facts = 1,
  plan = 2,
  refusal = 3,
  task_exit = 4,
  done = 5,
  task_unbound = 6,
  tasks_started = 7,
  busy = 8
};

// More than any kernel supports: 65536 CPUs, 1024 NUMA nodes.
inline constexpr std::size_t max_cpu_words = 1024;
inline constexpr std::size_t max_node_words = 16;

// The most warnings in a plan, and the length at which a line for a log or terminal is truncated.
inline constexpr std::size_t max_warnings = 32;
inline constexpr std::size_t max_line_bytes = 1024;

// Limits the items of all lists of a plan together. An item takes more memory than its bytes in the frame,
// and the plan is decoded inside slurmstepd.
inline constexpr std::size_t max_plan_items = std::size_t{1} << 17;

// slurmstepd's facts about the step on this node.
struct StepFacts {
  std::uint32_t job_id = 0;
  std::uint32_t step_id = 0;
  std::uint32_t node_index = 0;  // SLURM_NODEID
  std::uint32_t node_count = 0;
  std::uint32_t task_count = 0;           // in the whole step
  std::vector<std::uint32_t> global_ids;  // by local task ID; lacks a het step's offset
  std::string cores;                   // the step's cores on this node, as Slurm's abstract indexes
  std::string option;                  // the value of --distributed as it reached this node
  std::string working_directory;       // the job's
  std::vector<std::string> arguments;  // the program and its arguments
  std::vector<std::string> environment;  // the job's, NAME=VALUE
  bool other_root = false;               // tasks do not see the agent's file systems
  // The node's previous agent is gone, and a task has failed: this agent only ends the step.
  bool agent_lost = false;
  // Slurm is not involved: `muster run` starts the tasks on this machine, and no other node has to agree.
  bool without_slurm = false;
  std::string slurmstepd = {};  // the path of the one that runs; empty if unknown
};

struct Assignment {
  std::string name;
  std::string value;
};

// The source of a task's new memory, in the kernel's own terms and numbers: the agent knows which
// of them its node's kernel supports.
struct MemoryPolicy {
  enum class Mode : std::uint32_t { kernels = 0, preferred = 1, bind = 2, preferred_many = 5 };
  Mode mode = Mode::kernels;         // kernels: keep the choice of Slurm and the kernel
  std::vector<std::uint64_t> nodes;  // NUMA nodes, bit i of word i/64

  friend bool operator==(const MemoryPolicy&, const MemoryPolicy&) = default;
};

struct TaskPlan {
  std::vector<Assignment> set;
  // Allowed CPUs, bit i of word i/64; empty: keep Slurm's own mask.
  std::vector<std::uint64_t> cpu_mask;
  MemoryPolicy memory = {};
  bool cpus_required = false;  // the task must not start if the kernel refuses all of them
  std::string who = {};        // for messages: "node1: task 2"
  // Files for the task's standard output and error, created by the agent; empty: keep Slurm's.
  std::string output = {};
  std::string error = {};
};

struct NodePlan {
  std::vector<std::string> warnings;  // for the user, one line each
  std::vector<Assignment> set;        // the same for every task of the node
  std::vector<std::string> unset;
  std::vector<TaskPlan> tasks;  // by local task ID
  // The directory of the tasks' files on this node, DIRECTORY/LOCAL_ID; empty if there are none. A task may
  // see a different /tmp.
  std::string directory = {};
  // The start hook's directory in the tasks' PYTHONPATH; empty: none. A task may not see it.
  std::string start_hook = {};
  bool has_files = false;  // the directory contains files that tasks cannot do without
  bool dry_run = false;    // no task starts the user's program; each one exits immediately with 0
  bool ends_by_failure = false;  // a failed task ends the step, and srun leaves that to muster
};

// The agent cannot honour the request. An empty text means that another node has reported the
// reason.
struct Refusal {
  std::string text;
};

struct TaskExit {
  std::uint32_t local_id = 0;
  std::uint32_t wait_status = 0;  // as from waitpid
};

// The kernel gave the task none of its CPUs; it runs where Slurm put it.
struct TaskUnbound {
  std::uint32_t local_id = 0;
};

// The tasks' processes exist, but do not run the program yet.
struct TasksStarted {
  std::vector<std::uint32_t> pids;  // by local task ID
};

std::string encode(const StepFacts& facts);
std::string encode(const NodePlan& plan);
std::string encode(const Refusal& refusal);
std::string encode(const TaskExit& exit);
std::string encode(const TaskUnbound& task);
std::string encode(const TasksStarted& tasks);

std::optional<StepFacts> decode_facts(std::string_view bytes);
std::optional<NodePlan> decode_plan(std::string_view bytes);
std::optional<Refusal> decode_refusal(std::string_view bytes);
std::optional<TaskExit> decode_task_exit(std::string_view bytes);
std::optional<TaskUnbound> decode_task_unbound(std::string_view bytes);
std::optional<TasksStarted> decode_tasks_started(std::string_view bytes);

}  // namespace muster::wire
