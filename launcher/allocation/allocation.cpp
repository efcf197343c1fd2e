#include "launcher/allocation/allocation.hpp"

#include "core/layout/hostlist.hpp"
#include "launcher/os/command_output.hpp"
#include "launcher/supervise/scontrol_output.hpp"

#include <algorithm>

namespace muster::allocation {
namespace {

std::string value(const Environment& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

bool holds(const std::vector<std::string>& nodes, const std::string& name) {
  return std::ranges::find(nodes, name) != nodes.end();
}

}  // namespace

std::optional<Allocation> current_allocation(const Environment& environment) {
  Allocation allocation;
  allocation.job = value(environment, "SLURM_JOB_ID");
  if (allocation.job.empty()) return std::nullopt;
  if (const auto list = value(environment, "SLURM_JOB_NODELIST"); !list.empty()) {
    allocation.nodes = layout::expand_hostlist(list);
  }
  // An inner salloc's command sees the outer job's node, which is seldom one of its own.
  const auto node = value(environment, "SLURMD_NODENAME");
  if (holds(allocation.nodes, node) && !environment.contains("SLURM_STEP_ID")) {
    allocation.batch_host = node;
  }
  return allocation;
}

std::optional<Allocation> allocation_of(std::string_view line) {
  using supervise::field;
  const auto list = field(line, "NodeList");
  Allocation allocation;
  allocation.job = field(line, "JobId");
  if (allocation.job.empty() || list.empty() || list == "(null)") return std::nullopt;
  allocation.nodes = layout::expand_hostlist(list);
  const auto batch = field(line, "BatchFlag");
  if (!batch.empty() && batch != "0") allocation.batch_host = field(line, "BatchHost");
  return allocation;
}

std::optional<Allocation> ask_allocation(const std::string& job,
                                         std::chrono::milliseconds timeout) {
  constexpr std::size_t max_bytes = 1048576;  // a job's line has all of its nodes and options
  return allocation_of(os::run_command({"scontrol", "--all", "--oneliner", "show", "job", job},
                                       {.timeout = timeout, .max_bytes = max_bytes})
                           .output);
}

}  // namespace muster::allocation
