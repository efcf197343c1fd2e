#include "launcher/site/job_facts.hpp"

#include "launcher/os/groups.hpp"

#include <string_view>
#include <utility>

namespace muster::site {
namespace {

std::string variable(const Environment& environment, std::string_view name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string{} : found->second;
}

}  // namespace

JobFacts facts_of_job(const Environment& environment, std::string features) {
  return {.partition = variable(environment, "SLURM_JOB_PARTITION"),
          .account = variable(environment, "SLURM_JOB_ACCOUNT"),
          .features = std::move(features),
          .is_in_group = os::is_in_group};
}

}  // namespace muster::site
