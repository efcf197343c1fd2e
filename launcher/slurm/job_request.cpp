#include "launcher/slurm/job_request.hpp"

#include "core/contains.hpp"
#include "core/srun/job_of_line.hpp"
#include "core/srun/line.hpp"
#include "core/srun/values.hpp"
#include "core/text/list.hpp"
#include "launcher/os/command_output.hpp"
#include "launcher/site/job_facts.hpp"

#include <chrono>

namespace muster::slurm {
namespace {

constexpr std::chrono::seconds query_timeout{5};

// The smaller number of "2-4": at least that many are certain. 0 if srun derives it from the tasks.
std::size_t nodes_of(const srun::Line& line, const Environment& environment) {
  auto text = setting(line, environment, "nodes").value_or("");
  if (text.empty() && !line.has("nodes")) {
    text = environment.get("SLURM_NNODES");
  }
  return srun::leading_number(text).value_or(0);
}

// Empty if there are several names, of which Slurm will choose one later.
std::string single(std::string partition) {
  return partition.find(',') == std::string::npos ? std::move(partition) : std::string{};
}

}  // namespace

std::string default_partition(std::string_view lines) {
  for (const auto line : text::split(lines, '\n')) {
    const auto words = text::split(line, ' ');
    if (!contains(words, "Default=YES")) continue;
    constexpr std::string_view name = "PartitionName=";
    if (line.starts_with(name)) return std::string(words.front().substr(name.size()));
  }
  return {};
}

site::RuleFacts requested_job(const srun::Command& command, const Environment& environment,
                              const std::vector<site::JobRule>& rules) {
  auto facts = site::facts_of_job(environment);
  if (rules.empty()) return facts;
  const auto line = srun::read_line(command);
  facts.step_nodes = nodes_of(line, environment);
  if (srun::joins_other_job(command, environment)) {
    facts.partition.clear();  // those of the job in which srun was started
    facts.account.clear();
    return facts;
  }
  if (environment.contains("SLURM_JOB_ID")) return facts;
  facts.partition = setting(line, environment, "partition").value_or("");
  facts.account = setting(line, environment, "account").value_or("");
  if (facts.partition.empty() && asks_for_partition(rules)) {
    facts.partition = default_partition(
        os::command_output({"scontrol", "--oneliner", "show", "partition"}, query_timeout));
  }
  facts.partition = single(std::move(facts.partition));
  return facts;
}

}  // namespace muster::slurm
