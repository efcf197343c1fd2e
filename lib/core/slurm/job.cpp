#include "core/slurm/job.hpp"

#include "core/slurm/fields.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"

#include <algorithm>
#include <ctime>

namespace muster::slurm {
namespace {

using Time = std::chrono::system_clock::time_point;

// Parses "2026-01-02T03:04:05"; no value for "Unknown" and "None".
std::optional<Time> time_in(std::string_view line, std::string_view name) {
  std::tm time{};
  const std::string text(field(line, name));
  const char* const end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &time);
  if (end == nullptr || *end != '\0') return std::nullopt;
  time.tm_isdst = -1;
  const auto seconds = std::mktime(&time);
  if (seconds == -1) return std::nullopt;
  return std::chrono::system_clock::from_time_t(seconds);
}

std::string joined(std::string_view first, char between, std::string_view second) {
  return std::string(first) + between + std::string(second);
}

std::string task_of(std::string_view line) {
  const auto array = field(line, "ArrayJobId");
  const auto task = field(line, "ArrayTaskId");
  if (array.empty() || task.empty()) return std::string(field(line, "JobId"));
  return joined(array, '_', task);
}

std::string component_of(std::string_view line) {
  const auto leader = field(line, "HetJobId");
  const auto offset = field(line, "HetJobOffset");
  return leader.empty() || offset.empty() ? task_of(line) : joined(leader, '+', offset);
}

// Parses pairs of words such as "Nodes=n[1-2] CPU_IDs=0-63", one pair for all nodes with the same cores.
std::string nodes_with_cores_in(std::string_view line) {
  std::string nodes;
  std::string_view list;
  for (const auto word : text::split(line, ' ')) {
    if (word.starts_with("Nodes=")) list = field(word, "Nodes");
    if (!word.starts_with("CPU_IDs=") || list.empty()) continue;
    nodes.append(nodes.empty() ? "" : ",").append(list);
    list = {};
  }
  return nodes;
}

// A job that was requeued still shows the time at which an earlier run was preempted.
bool is_preempted(std::string_view line) {
  const auto preempted = time_in(line, "PreemptTime");
  const auto start = time_in(line, "StartTime");
  return preempted && start && *preempted >= *start;
}

// Parses "UserId=alice(1000)" and "AllocNode:Sid=login:4711".
void add_origin(Job& job, std::string_view line) {
  const auto user = field(line, "UserId");
  job.user = user.substr(0, user.find('('));
  const auto uid = user.substr(std::min(user.rfind('('), user.size()));
  if (uid.size() > 2 && uid.ends_with(')')) job.uid = uid.substr(1, uid.size() - 2);
  const auto from = field(line, "AllocNode:Sid");
  job.submit_host = from.substr(0, from.rfind(':'));
}

// Parses words such as "GRES=gpu:a100:4(IDX:0-1,3-4),gpu:h100:2(IDX:2,5),nic:1".
std::uint32_t gpus_in(std::string_view line) {
  constexpr std::string_view name = "gpu:";
  for (const auto word : text::split(line, ' ')) {
    if (!word.starts_with("GRES=")) continue;
    std::uint32_t gpus = 0;
    for (const auto part : text::split(word.substr(word.find('=') + 1), ',')) {
      const auto what = part.substr(0, part.find('('));
      if (what.starts_with(name))
        gpus += text::number<std::uint32_t>(what.substr(what.rfind(':') + 1)).value_or(0);
    }
    if (gpus > 0) return gpus;
  }
  return 0;
}

Job job_of_line(std::string_view line) {
  Job job;
  job.id = field(line, "JobId");
  job.task = task_of(line);
  job.component = component_of(line);
  job.het_leader = field(line, "HetJobId");
  add_origin(job, line);
  job.state = field(line, "JobState");
  job.reason = field(line, "Reason");
  if (job.reason == "None") job.reason.clear();
  job.preempted = is_preempted(line);
  job.timed_out = job.reason == "TimeLimit" || job.state == "TIMEOUT";
  job.requeues = number_in(line, "Restarts");
  job.may_requeue = number_in(line, "Requeue") > 0;
  job.batch = number_in(line, "BatchFlag") > 0;
  job.expedited = field(line, "ExpeditedRequeue") == "Yes";
  if (job.batch) job.batch_host = field(line, "BatchHost");
  if (field(line, "StepMgrEnabled") == "Yes") job.step_manager = field(line, "BatchHost");
  job.start = time_in(line, "StartTime");
  job.end = time_in(line, "EndTime");
  job.output_file = field(line, "StdOut");
  job.error_file = field(line, "StdErr");
  // Slurm 26.05 leaves it empty if the errors go to the same file.
  if (job.error_file.empty()) job.error_file = job.output_file;
  const auto nodes = field(line, "NodeList");
  if (!is_no_list(nodes)) job.node_list = nodes;
  job.nodes_with_cores = nodes_with_cores_in(line);
  job.gpus_of_node = gpus_in(line);
  return job;
}

}  // namespace

std::optional<Job> job_from_text(std::string_view text, std::string_view id) {
  const bool is_array_task = id.find('_') != std::string_view::npos;
  for (const auto line : text::split(whole_lines(text), '\n')) {
    const auto number = field(line, "JobId");
    // scontrol prints a single line for a task.
    if (!number.empty() && (number == id || is_array_task)) return job_of_line(line);
  }
  return std::nullopt;
}

}  // namespace muster::slurm
