#include "launcher/site/job_facts.hpp"

#include "launcher/os/fabric_evidence.hpp"
#include "launcher/os/groups.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace muster::site {

RuleFacts facts_of_job(const Environment& environment, std::string features) {
  return {.partition = environment.get("SLURM_JOB_PARTITION"),
          .account = environment.get("SLURM_JOB_ACCOUNT"),
          .features = std::move(features),
          .is_in_group = os::is_in_group};
}

RuleFacts facts_of_node(RuleFacts job, const std::filesystem::path& root) {
  job.gpus = [root] { return os::gpu_models(root); };
  job.fabric = [root, known = std::optional<fabric::Fabric>()]() mutable {
    if (!known) known = fabric::fabric_of(os::read_evidence(root));
    return *known;
  };
  return job;
}

}  // namespace muster::site
