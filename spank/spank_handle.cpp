#include "spank/spank_handle.hpp"

#include "spank/one_line.hpp"
#include "spank/slurmctld.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <unistd.h>

extern "C" {
#include <slurm/slurm_errno.h>
#include <slurm/slurm_version.h>
#include <slurm/spank.h>
}

namespace muster::spank {
namespace {

template <typename T>
T item(spank_t handle, spank_item_t which) {
  T value{};
  if (spank_get_item(handle, which, &value) != ESPANK_SUCCESS) return T{};
  return value;
}

std::vector<std::string> texts(char** words, int count) {
  std::vector<std::string> copy;
  for (int i = 0; words != nullptr && i != count && words[i] != nullptr; ++i) {
    copy.emplace_back(words[i]);
  }
  return copy;
}

// Up to 24.11, slurmstepd prefixes its messages to srun with the name of its node; 26.05 does not.
std::string with_node(const std::string& line) {
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
  std::string_view ours = "muster: ";
  constexpr std::string_view warning = "muster: warning: ";
  std::array<char, 256> host{};
  if (spank_context() != S_CTX_REMOTE || line.rfind(ours, 0) != 0 ||
      gethostname(host.data(), host.size() - 1) != 0) {
    return line;
  }
  if (line.rfind(warning, 0) == 0) ours = warning;
  const std::string name =
      std::string(host.data()).substr(0, std::strcspn(host.data(), ".")) + ": ";
  const bool named = line.compare(ours.size(), name.size(), name) == 0;
  return named ? line : std::string(ours) + name + line.substr(ours.size());
#else
  return line;
#endif
}

}  // namespace

std::uint32_t SpankSlurm::step_id() noexcept {
  return item<std::uint32_t>(handle_, S_JOB_STEPID);
}

Step SpankSlurm::step() {
  Step step;
  step.job_id = item<std::uint32_t>(handle_, S_JOB_ID);
  step.step_id = step_id();
  step.node_index = item<std::uint32_t>(handle_, S_JOB_NODEID);
  step.node_count = item<std::uint32_t>(handle_, S_JOB_NNODES);
  step.task_count = item<std::uint32_t>(handle_, S_JOB_TOTAL_TASK_COUNT);
  step.global_ids.resize(item<std::uint32_t>(handle_, S_JOB_LOCAL_TASK_COUNT));
  for (std::uint32_t task = 0; task < step.global_ids.size(); ++task) {
    spank_get_item(handle_, S_JOB_LOCAL_TO_GLOBAL_ID, task, &step.global_ids[task]);
  }
  if (const auto* cores = item<char*>(handle_, S_STEP_ALLOC_CORES)) step.cores = cores;

  int argument_count = 0;
  char** arguments = nullptr;
  if (spank_get_item(handle_, S_JOB_ARGV, &argument_count, &arguments) == ESPANK_SUCCESS) {
    step.arguments = texts(arguments, argument_count);
  }
  step.environment = texts(item<char**>(handle_, S_JOB_ENV), -1);
  return step;
}

std::optional<Identity> SpankSlurm::identity() {
  Identity identity;
  if (spank_get_item(handle_, S_JOB_UID, &identity.uid) != ESPANK_SUCCESS ||
      spank_get_item(handle_, S_JOB_GID, &identity.gid) != ESPANK_SUCCESS) {
    return std::nullopt;
  }
  gid_t* groups = nullptr;
  int count = 0;
  if (spank_get_item(handle_, S_JOB_SUPPLEMENTARY_GIDS, &groups, &count) == ESPANK_SUCCESS) {
    identity.groups.assign(groups, groups + count);
  }
  return identity;
}

const char* SpankSlurm::value_of(const char* name) const noexcept {
  const auto length = std::strlen(name);
  for (char** entry = item<char**>(handle_, S_JOB_ENV); entry != nullptr && *entry != nullptr;
       ++entry) {
    if (std::strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
      return *entry + length + 1;
  }
  return nullptr;
}

bool SpankSlurm::has_job_variable(const char* name) noexcept {
  return value_of(name) != nullptr;
}

std::optional<std::string> SpankSlurm::job_variable(const char* name) {
  const char* const value = value_of(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

bool SpankSlurm::set_job_variable(const std::string& name, const std::string& value) {
  return spank_setenv(handle_, name.c_str(), value.c_str(), 1) == ESPANK_SUCCESS;
}

void SpankSlurm::unset_job_variable(const char* name) {
  spank_unsetenv(handle_, name);
}

std::uint32_t SpankSlurm::local_task_id() {
  return static_cast<std::uint32_t>(item<int>(handle_, S_TASK_ID));
}

std::uint32_t SpankSlurm::task_process() {
  return static_cast<std::uint32_t>(item<pid_t>(handle_, S_TASK_PID));
}

std::uint32_t SpankSlurm::task_wait_status() {
  return static_cast<std::uint32_t>(item<int>(handle_, S_TASK_EXIT_STATUS));
}

// 22.05 has just written it there. If it was the user who had set the variable, the supervisor can still see
// that.
std::string SpankSlurm::mpi_default() {
  const char* const written = std::getenv("SLURM_MPI_TYPE");  // NOLINT(concurrency-mt-unsafe)
  return written != nullptr ? std::string(written) : mpi_default_of_srun();
}

std::optional<StepLayout> SpankSlurm::step_layout(std::uint32_t components) {
  return layout_from_slurmctld(item<std::uint32_t>(handle_, S_JOB_ID), step_id(), components);
}

void SpankSlurm::error(const std::string& line) {
  slurm_error("%s", one_line(with_node(line)).c_str());
}
void SpankSlurm::notice(const std::string& line) {
  slurm_spank_log("%s", one_line(line).c_str());
}

}  // namespace muster::spank
