#include "spank/slurmctld.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <dlfcn.h>

extern "C" {
#include <slurm/slurm.h>
}

namespace muster::spank {
namespace {

// Looks up a libslurm function by name. srun carries the library, but the shim must load
// everywhere, so it does not link to it.
template <typename Function>
Function* slurm_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}
#define MUSTER_SLURM(name) slurm_function<decltype(name)>(#name)

using LayoutPointer = std::unique_ptr<slurm_step_layout_t, void (*)(slurm_step_layout_t*)>;
using StepsPointer =
    std::unique_ptr<job_step_info_response_msg_t, void (*)(job_step_info_response_msg_t*)>;
using NodesPointer = std::unique_ptr<node_info_msg_t, void (*)(node_info_msg_t*)>;
using JobsPointer = std::unique_ptr<job_info_msg_t, void (*)(job_info_msg_t*)>;

// The name at one position of a host list.
std::string node_name(const char* nodes, std::uint32_t index) {
  auto* const create = MUSTER_SLURM(slurm_hostlist_create);
  auto* const shift = MUSTER_SLURM(slurm_hostlist_shift);
  auto* const destroy = MUSTER_SLURM(slurm_hostlist_destroy);
  if (create == nullptr || shift == nullptr || destroy == nullptr) return {};
  auto list = create(nodes);
  std::string name;
  for (std::uint32_t i = 0; i <= index; ++i) {
    char* const next = shift(list);
    if (next == nullptr) break;
    if (i == index) name = next;
    free(next);  // NOLINT(cppcoreguidelines-no-malloc): slurm.h says so
  }
  destroy(list);
  return name;
}

// Drops text that does not fit into the line that carries it.
std::string fitting(const char* text) {
  constexpr std::size_t max_bytes = 1024;
  const std::string copy = text != nullptr ? text : "";
  const bool fits = copy.size() <= max_bytes && copy.find_first_of("| ") == std::string::npos;
  return fits ? copy : std::string();
}

// The configuration that srun itself has read; nullptr if this process is not srun.
const slurm_conf_t* configuration() {
  return static_cast<const slurm_conf_t*>(dlsym(RTLD_DEFAULT, "slurm_conf"));
}

// slurmctld would refuse to show a node to a user, and log each request as a security violation.
bool hides_nodes() {
  const auto* const conf = configuration();
  return conf != nullptr && (conf->private_data & PRIVATE_DATA_NODES) != 0;
}

// NodeAddr and features as slurmctld knows them; only the name if the site hides its nodes (PrivateData).
void describe_first_node(const std::string& name, StepLayout& layout) {
  layout.first_address = name;
  if (hides_nodes()) return;
  auto* const load = MUSTER_SLURM(slurm_load_node_single);
  auto* const release = MUSTER_SLURM(slurm_free_node_info_msg);
  if (load == nullptr || release == nullptr || name.empty()) return;
  node_info_msg_t* raw = nullptr;
  auto copy = name;
  if (load(&raw, copy.data(), 0) != SLURM_SUCCESS || raw == nullptr) return;
  const NodesPointer message(raw, release);
  if (message->record_count == 0 || message->node_array[0].node_addr == nullptr) return;
  layout.first_address = message->node_array[0].node_addr;
  layout.first_features = fitting(message->node_array[0].features_act);
}

std::uint32_t node_of_first_task(const StepComponent& component) {
  for (std::uint32_t node = 0; node < component.tasks.size(); ++node) {
    const auto& tasks = component.tasks[node];
    if (std::find(tasks.begin(), tasks.end(), 0U) != tasks.end()) return node;
  }
  return 0;
}

std::optional<StepComponent> layout_of(slurm_step_id_t id) {
  auto* const get = MUSTER_SLURM(slurm_job_step_layout_get);
  auto* const release = MUSTER_SLURM(slurm_job_step_layout_free);
  if (get == nullptr || release == nullptr) return std::nullopt;
  const LayoutPointer raw(get(&id), release);
  if (!raw || raw->node_list == nullptr || raw->tids == nullptr) return std::nullopt;
  StepComponent component{.job_id = id.job_id, .nodes = raw->node_list, .tasks = {}};
  for (std::uint32_t node = 0; node < raw->node_cnt; ++node) {
    component.tasks.emplace_back(raw->tids[node], raw->tids[node] + raw->tasks[node]);
  }
  return component;
}

// Since 26.05, slurm_load_job takes a step's ID instead of a job's.
template <typename Load>
int load_job(Load* load, job_info_msg_t** message, std::uint32_t job_id) {
  if constexpr (std::is_invocable_v<Load*, job_info_msg_t**, std::uint32_t, std::uint16_t>) {
    return load(message, job_id, 0);
  } else {
    slurm_step_id_t id{};
    id.job_id = job_id;
    id.step_id = NO_VAL;
    id.step_het_comp = NO_VAL;
    return load(message, id, 0);
  }
}

// SHOW_LOCAL: otherwise libslurm first asks slurmctld whether the cluster is in a federation.
constexpr std::uint16_t this_cluster = SHOW_ALL | SHOW_LOCAL;

// Since 26.05, slurm_get_job_steps takes a step's ID instead of two numbers.
template <typename Get>
int get_step(Get* get, slurm_step_id_t id, job_step_info_response_msg_t** message) {
  if constexpr (std::is_invocable_v<Get*, time_t, std::uint32_t, std::uint32_t,
                                    job_step_info_response_msg_t**, std::uint16_t>) {
    return get(0, id.job_id, id.step_id, message, this_cluster);
  } else {
    return get(&id, message, this_cluster);
  }
}

// The step's --gpu-bind, whether given or implied by --gpus-per-task. slurmstepd does not pass it to its
// plugins.
std::string tres_bind_of(slurm_step_id_t id) {
  auto* const get = MUSTER_SLURM(slurm_get_job_steps);
  auto* const release = MUSTER_SLURM(slurm_free_job_step_info_response_msg);
  if (get == nullptr || release == nullptr) return {};
  job_step_info_response_msg_t* raw = nullptr;
  if (get_step(get, id, &raw) != SLURM_SUCCESS || raw == nullptr) return {};
  const StepsPointer message(raw, release);
  return message->job_step_count > 0 ? fitting(message->job_steps[0].tres_bind) : "";
}

// The jobs of a heterogeneous job by their offset; for any other job, only the job itself.
std::vector<std::uint32_t> jobs_of(std::uint32_t job_id) {
  auto* const load = MUSTER_SLURM(slurm_load_job);
  auto* const release = MUSTER_SLURM(slurm_free_job_info_msg);
  if (load == nullptr || release == nullptr) return {};
  // slurmctld returns all of them only when asked for the first one.
  std::map<std::uint32_t, std::uint32_t> jobs;
  for (std::uint32_t asked = job_id, turn = 0; turn < 2; ++turn) {
    job_info_msg_t* raw = nullptr;
    if (load_job(load, &raw, asked) != SLURM_SUCCESS || raw == nullptr) return {};
    const JobsPointer message(raw, release);
    for (std::uint32_t i = 0; i < message->record_count; ++i) {
      const auto& job = message->job_array[i];
      jobs.emplace(job.het_job_offset, job.job_id);
      if (job.job_id == job_id) asked = job.het_job_id;
    }
    if (asked == 0) break;
  }
  std::vector<std::uint32_t> ids;
  for (const auto& [offset, id] : jobs) ids.push_back(id);
  return ids;
}

// Within one allocation, the components of a heterogeneous step are numbered. In a heterogeneous job, each
// component is a step of one of its jobs; all of these steps have the same number, which no other step of
// these jobs has.
std::vector<StepComponent> heterogeneous_layout(slurm_step_id_t id, std::uint32_t components) {
  std::vector<StepComponent> found;
  const auto jobs = jobs_of(id.job_id);
  if (jobs.size() > 1) {
    for (const auto job : jobs) {
      id.job_id = job;
      if (auto component = layout_of(id)) found.push_back(std::move(*component));
    }
    return found;
  }
  for (id.step_het_comp = 0; id.step_het_comp < components; ++id.step_het_comp) {
    if (auto component = layout_of(id)) found.push_back(std::move(*component));
  }
  return found;
}

}  // namespace

std::string mpi_default_of_srun() {
  const auto* const conf = configuration();
  return conf != nullptr && conf->mpi_default != nullptr ? conf->mpi_default : "";
}

std::optional<StepLayout> layout_from_slurmctld(std::uint32_t job_id, std::uint32_t step_id,
                                                std::uint32_t components) {
  slurm_step_id_t id{};
  id.job_id = job_id;
  id.step_id = step_id;
  id.step_het_comp = NO_VAL;

  StepLayout layout;
  if (components > 1) {
    layout.components = heterogeneous_layout(id, components);
  } else if (auto only = layout_of(id)) {
    layout.components.push_back(std::move(*only));
  }
  if (layout.components.size() != components) return std::nullopt;
  const auto& first = layout.components.front();
  describe_first_node(node_name(first.nodes.c_str(), node_of_first_task(first)), layout);
  layout.tres_bind = tres_bind_of(id);
  return layout;
}

}  // namespace muster::spank
