// The shim's view of Slurm: a small interface, so that tests can run the hooks without Slurm and
// differences between releases stay in spank_handle.cpp, slurmctld.cpp and plugin.cpp. For a new release, see
// lib/core/slurm/releases.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::spank {

// One task of the step, as slurmstepd sees it. IDs are Slurm's own.
struct Step {
  std::uint32_t job_id = 0;
  std::uint32_t step_id = 0;
  std::uint32_t node_index = 0;
  std::uint32_t node_count = 0;
  std::uint32_t task_count = 0;
  std::vector<std::uint32_t> global_ids;  // by local task ID
  std::string cores;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
};

// The owner of a step.
struct Identity {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
};

// One srun's share of a heterogeneous step, or an ordinary step.
struct StepComponent {
  std::uint32_t job_id = 0;
  std::string nodes;                              // host list
  std::vector<std::vector<std::uint32_t>> tasks;  // by node, counted from 0 in every component
};

// The layout of a step's tasks, from slurmctld.
struct StepLayout {
  std::vector<StepComponent> components;  // in the order of their tasks' SLURM_PROCID
  std::string first_address;              // NodeAddr of the node of task 0
  std::string first_features = {};        // its active features, separated by commas
  std::string tres_bind = {};             // how Slurm shares GPUs among the tasks
};

class SlurmApi {
 public:
  SlurmApi() = default;
  SlurmApi(const SlurmApi&) = delete;
  SlurmApi& operator=(const SlurmApi&) = delete;
  virtual ~SlurmApi() = default;

  // slurmstepd only.
  virtual std::uint32_t step_id() noexcept = 0;
  virtual Step step() = 0;
  // No value if Slurm does not say: never root by default.
  virtual std::optional<Identity> identity() = 0;
  virtual bool has_job_variable(const char* name) noexcept = 0;
  virtual std::optional<std::string> job_variable(const char* name) = 0;
  virtual bool set_job_variable(const std::string& name, const std::string& value) = 0;
  virtual void unset_job_variable(const char* name) = 0;
  virtual std::uint32_t local_task_id() = 0;
  virtual std::uint32_t task_process() = 0;
  virtual std::uint32_t task_wait_status() = 0;

  // srun's local_user_init only. `components`: the number of components whose options srun has
  // parsed.
  virtual std::optional<StepLayout> step_layout(std::uint32_t components) = 0;
  // srun only: the site's MpiDefault; empty if unknown.
  virtual std::string mpi_default() = 0;

  // The line may contain untrusted text: it is shown as one line of printable characters.
  virtual void error(const std::string& line) = 0;
  virtual void notice(const std::string& line) = 0;
};

}  // namespace muster::spank
