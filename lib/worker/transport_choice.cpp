#include "worker/transport_choice.hpp"

#include "worker/error.hpp"
#include "worker/rank_info.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace muster::worker {
namespace {

constexpr std::string_view slurms_namespace = "slurm.pmix.";

[[noreturn]] void refuse(const std::string& line) {
  throw Error{MUSTER_ERR_ENVIRONMENT, line};
}

// A part of the environment, shortened for a message.
std::string quoted(std::string_view text) {
  return "'" + std::string{text.substr(0, 80)} + "'";
}

muster_transport wish(const Environment& environment, muster_transport asked) {
  if (asked != MUSTER_TRANSPORT_AUTO) return asked;
  const auto word = environment.get("MUSTER_TRANSPORT");
  if (word.empty() || word == "auto") return MUSTER_TRANSPORT_AUTO;
  if (word == "pmix") return MUSTER_TRANSPORT_PMIX;
  if (word == "tcp") return MUSTER_TRANSPORT_TCP;
  if (word == "single") return MUSTER_TRANSPORT_SINGLE;
  refuse("MUSTER_TRANSPORT=" + quoted(word) + " is unknown: use pmix, tcp or single");
}

// A size of 0 is as wrong as one that is larger than muster can count.
std::optional<int> size_in(const Environment& environment, std::string_view name) {
  const auto size = environment.number(name, max_size);
  if (size && *size == 0) refuse(std::string{name} + "=0: a step has at least one rank");
  return size;
}

// The number of ranks, as far as the environment says. SLURM_NTASKS does not count: in a batch script it is
// the number that srun would start, and the script itself is a single process.
struct Sizes {
  std::optional<int> step;   // tasks of Slurm's step
  std::optional<int> world;  // WORLD_SIZE, whoever has set it

  int ranks() const { return world ? *world : step.value_or(1); }
  // Under torchrun several processes share one task, and therefore one PMIX_RANK.
  bool shared_task() const { return world && step && *world != *step; }
};

// Slurm 26.05 gives batch scripts a step number as well (lib/core/slurm/releases.hpp).
bool is_task(const Environment& environment) {
  constexpr std::string_view batch_script = "-5";
  return environment.has("SLURM_STEP_ID") && environment.get("SLURM_STEP_ID") != batch_script &&
         environment.has("SLURM_PROCID");
}

// Empty if the PMIX_* variables belong to this step; otherwise the reason why not.
std::string why_no_pmix(const Environment& environment, const Sizes& sizes) {
  const auto nspace = environment.get("PMIX_NAMESPACE");
  const bool in_step = is_task(environment);
  if (nspace.empty() || !environment.has("PMIX_RANK")) {
    return in_step ? "srun was started without PMIx: add --mpi=pmix (srun --mpi=list shows whether "
                     "this Slurm has it), or use --distributed"
                   : "this process was not started by srun: use srun --mpi=pmix";
  }
  if (!nspace.starts_with(slurms_namespace)) {
    return "PMIX_NAMESPACE=" + quoted(nspace) + " does not name a Slurm step: use srun --mpi=pmix";
  }
  if (!in_step) {
    return "PMIX_NAMESPACE=" + quoted(nspace) +
           " was inherited, and this process is not a task of a step: use srun --mpi=pmix";
  }
  const auto step = "." + std::string{environment.get("SLURM_STEP_ID")};
  // The components of a heterogeneous step share one namespace, named after the first component's job.
  constexpr std::array jobs{"SLURM_JOB_ID", "SLURM_HET_JOB_ID", "SLURM_JOB_ID_HET_GROUP_0"};
  const auto of_step = nspace.substr(slurms_namespace.size());
  const bool ours = std::any_of(jobs.begin(), jobs.end(), [&](const char* job) {
    return environment.has(job) && of_step == std::string{environment.get(job)} + step;
  });
  if (!ours) {
    return "PMIX_NAMESPACE=" + quoted(nspace) + " does not belong to this step, " +
           std::string{environment.get("SLURM_JOB_ID")} + step +
           ": srun was started without --mpi=pmix inside another step";
  }
  if (sizes.shared_task()) {
    return "WORLD_SIZE is " + std::to_string(*sizes.world) + " and the step has " +
           std::to_string(*sizes.step) + (*sizes.step == 1 ? " task" : " tasks") +
           ": processes that share a task, as torchrun's do, share its PMIx rank; start one "
           "task for each rank";
  }
  return "";
}

// Empty if rank 0 can be found over TCP; otherwise the reason why not.
std::string why_no_tcp(const Environment& environment) {
  if (environment.has("MUSTER_EXCHANGE")) return "";
  if (environment.has("MASTER_ADDR") && environment.has("MASTER_PORT")) return "";
  return "MASTER_ADDR and MASTER_PORT are not set: use srun --distributed or torchrun, or set them";
}

Choice by_tcp(const std::string& why) {
  return {MUSTER_TRANSPORT_TCP, why};
}

}  // namespace

Choice choose_transport(const Environment& environment, muster_transport asked) {
  const auto wished = wish(environment, asked);
  if (wished == MUSTER_TRANSPORT_SINGLE) return {MUSTER_TRANSPORT_SINGLE, "requested"};

  const Sizes sizes{size_in(environment, "SLURM_STEP_NUM_TASKS"),
                    size_in(environment, "WORLD_SIZE")};
  const auto no_tcp = why_no_tcp(environment);
  if (wished == MUSTER_TRANSPORT_TCP) {
    if (no_tcp.empty()) return by_tcp("requested");
    refuse("TCP was requested, but " + no_tcp);
  }

  const auto no_pmix = why_no_pmix(environment, sizes);
  if (no_pmix.empty()) return {MUSTER_TRANSPORT_PMIX, "this step has PMIx"};
  if (wished == MUSTER_TRANSPORT_PMIX) refuse("PMIx was requested, but " + no_pmix);

  if (sizes.ranks() == 1) return {MUSTER_TRANSPORT_SINGLE, "there is one rank, and " + no_pmix};
  if (no_tcp.empty()) return by_tcp(no_pmix);
  refuse("there are " + std::to_string(sizes.ranks()) + " ranks and no way to connect them: " +
         no_pmix + "; TCP cannot be used either: " + no_tcp);
}

}  // namespace muster::worker
