#include "launcher/slurm/allocation.hpp"

#include "core/contains.hpp"
#include "core/error.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/slurm/scontrol_output.hpp"
#include "core/text/list.hpp"
#include "launcher/os/command_output.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace muster::slurm {
namespace {

// From pairs of words such as "Nodes=n[1-2] CPU_IDs=0-63".
std::vector<std::string> with_cores(std::string_view line) try {
  std::vector<std::string> nodes;
  std::string_view list;
  for (const auto word : text::split(line, ' ')) {
    if (word.starts_with("Nodes=")) list = word.substr(word.find('=') + 1);
    if (!word.starts_with("CPU_IDs=") || list.empty()) continue;
    std::ranges::move(expand_hostlist(list), std::back_inserter(nodes));
    list = {};
  }
  return nodes;
} catch (const Error&) {  // words of the job's own command line
  return {};
}

// None where Slurm shows no node's cores.
std::vector<std::string> without_cores(const std::vector<std::string>& nodes,
                                       std::string_view line) {
  const auto known = with_cores(line);
  if (known.empty()) return {};
  const std::set<std::string> with(known.begin(), known.end());
  std::vector<std::string> without;
  std::ranges::copy_if(nodes, std::back_inserter(without),
                       [&with](const auto& node) { return !with.contains(node); });
  return without;
}

// Slurm 26.05 numbers it; earlier ones do not.
bool is_batch_script(const Environment& environment) {
  const auto& step = environment.get("SLURM_STEP_ID");
  return step.empty() || step == "-5";
}

}  // namespace

std::optional<Allocation> current_allocation(const Environment& environment) {
  Allocation allocation;
  allocation.job = environment.get("SLURM_JOB_ID");
  if (allocation.job.empty()) return std::nullopt;
  if (const auto& list = environment.get("SLURM_JOB_NODELIST"); !list.empty()) {
    allocation.nodes = expand_hostlist(list);
  }
  // An inner salloc's command sees the outer job's node, which is seldom one of its own.
  const auto& node = environment.get("SLURMD_NODENAME");
  if (contains(allocation.nodes, node) && is_batch_script(environment)) {
    allocation.batch_host = node;
  }
  return allocation;
}

std::optional<Allocation> allocation_of(std::string_view line) {
  const auto list = field(line, "NodeList");
  Allocation allocation;
  allocation.job = field(line, "JobId");
  if (allocation.job.empty() || list.empty() || list == "(null)") return std::nullopt;
  allocation.name = component_name(line);
  allocation.nodes = expand_hostlist(list);
  allocation.without_cores = without_cores(allocation.nodes, line);
  const auto batch = field(line, "BatchFlag");
  if (!batch.empty() && batch != "0") allocation.batch_host = field(line, "BatchHost");
  return allocation;
}

std::optional<Allocation> ask_allocation(const std::string& job,
                                         std::chrono::milliseconds timeout) {
  const auto result =
      os::run_command({"scontrol", "--all", "--details", "--oneliner", "show", "job", job},
                      {.timeout = timeout, .max_bytes = max_job_bytes});
  return allocation_of(job_line(result.output, job));
}

}  // namespace muster::slurm
