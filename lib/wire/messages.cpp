#include "wire/messages.hpp"

#include "wire/codec.hpp"

namespace muster::wire {
namespace {

void put(Encoder& out, const std::vector<Assignment>& set) {
  out.u32(static_cast<std::uint32_t>(set.size()));
  for (const auto& [name, value] : set) {
    out.text(name);
    out.text(value);
  }
}

std::vector<Assignment> assignments(Decoder& in) {
  std::vector<Assignment> set(in.count(2 * sizeof(std::uint32_t)));
  for (auto& [name, value] : set) {
    name = in.text();
    value = in.text();
  }
  return set;
}

void put(Encoder& out, const TaskPlan& task) {
  put(out, task.set);
  out.u64s(task.cpu_mask);
  out.u32(static_cast<std::uint32_t>(task.memory.mode));
  out.u64s(task.memory.nodes);
  out.u32(task.cpus_required ? 1 : 0);
  out.text(task.who);
  out.text(task.output);
  out.text(task.error);
}

// The smallest size of a task's part: eight 4-byte numbers, including the lengths of three empty texts.
constexpr std::size_t least_task_bytes = 8 * sizeof(std::uint32_t);

bool is_mode(std::uint32_t number) {
  using Mode = MemoryPolicy::Mode;
  for (const auto mode : {Mode::kernels, Mode::preferred, Mode::bind, Mode::preferred_many}) {
    if (number == static_cast<std::uint32_t>(mode)) return true;
  }
  return false;
}

bool take(Decoder& in, TaskPlan& task) {
  task.set = assignments(in);
  task.cpu_mask = in.u64s();
  const auto mode = in.u32();
  task.memory = {static_cast<MemoryPolicy::Mode>(mode), in.u64s()};
  const auto required = in.u32();
  task.cpus_required = required == 1;
  task.who = in.text();
  task.output = in.text();
  task.error = in.text();
  return is_mode(mode) && required <= 1 && task.cpu_mask.size() <= max_cpu_words &&
         task.memory.nodes.size() <= max_node_words;
}

template <typename T>
std::optional<T> whole(const Decoder& in, T&& value) {
  if (!in.done()) return std::nullopt;
  return std::forward<T>(value);
}

}  // namespace

std::string encode(const StepFacts& facts) {
  Encoder out;
  out.u32(facts.job_id);
  out.u32(facts.step_id);
  out.u32(facts.node_index);
  out.u32(facts.node_count);
  out.u32(facts.task_count);
  out.u32s(facts.global_ids);
  out.text(facts.cores);
  out.text(facts.option);
  out.text(facts.working_directory);
  out.texts(facts.arguments);
  out.texts(facts.environment);
  out.u32(facts.other_root ? 1 : 0);
  out.u32(facts.agent_lost ? 1 : 0);
  out.u32(facts.without_slurm ? 1 : 0);
  out.text(facts.slurmstepd);
  return out.bytes();
}

std::optional<StepFacts> decode_facts(std::string_view bytes) {
  Decoder in(bytes);
  StepFacts facts;
  facts.job_id = in.u32();
  facts.step_id = in.u32();
  facts.node_index = in.u32();
  facts.node_count = in.u32();
  facts.task_count = in.u32();
  facts.global_ids = in.u32s();
  facts.cores = in.text();
  facts.option = in.text();
  facts.working_directory = in.text();
  facts.arguments = in.texts();
  facts.environment = in.texts();
  const auto other_root = in.u32();
  const auto agent_lost = in.u32();
  const auto without_slurm = in.u32();
  facts.slurmstepd = in.text();
  if (other_root > 1 || agent_lost > 1 || without_slurm > 1) return std::nullopt;
  facts.other_root = other_root == 1;
  facts.agent_lost = agent_lost == 1;
  facts.without_slurm = without_slurm == 1;
  return whole(in, std::move(facts));
}

std::string encode(const NodePlan& plan) {
  Encoder out;
  out.texts(plan.warnings);
  put(out, plan.set);
  out.texts(plan.unset);
  out.u32(static_cast<std::uint32_t>(plan.tasks.size()));
  for (const auto& task : plan.tasks) put(out, task);
  out.text(plan.directory);
  out.text(plan.start_hook);
  out.u32(plan.has_files ? 1 : 0);
  out.u32(plan.dry_run ? 1 : 0);
  out.u32(plan.ends_by_failure ? 1 : 0);
  return out.bytes();
}

std::optional<NodePlan> decode_plan(std::string_view bytes) {
  Decoder in(bytes, max_plan_items);
  NodePlan plan;
  plan.warnings = in.texts();
  if (plan.warnings.size() > max_warnings) return std::nullopt;
  plan.set = assignments(in);
  plan.unset = in.texts();
  plan.tasks.resize(in.count(least_task_bytes));
  for (auto& task : plan.tasks) {
    if (!take(in, task)) return std::nullopt;
  }
  plan.directory = in.text();
  plan.start_hook = in.text();
  const auto has_files = in.u32();
  const auto dry_run = in.u32();
  const auto ends_by_failure = in.u32();
  if (has_files > 1 || dry_run > 1 || ends_by_failure > 1) return std::nullopt;
  plan.has_files = has_files == 1;
  plan.dry_run = dry_run == 1;
  plan.ends_by_failure = ends_by_failure == 1;
  return whole(in, std::move(plan));
}

std::string encode(const Refusal& refusal) {
  Encoder out;
  out.text(refusal.text);
  return out.bytes();
}

std::optional<Refusal> decode_refusal(std::string_view bytes) {
  Decoder in(bytes);
  Refusal refusal{in.text()};
  return whole(in, std::move(refusal));
}

std::string encode(const TaskExit& exit) {
  Encoder out;
  out.u32(exit.local_id);
  out.u32(exit.wait_status);
  return out.bytes();
}

std::optional<TaskExit> decode_task_exit(std::string_view bytes) {
  Decoder in(bytes);
  TaskExit exit{in.u32(), in.u32()};
  return whole(in, std::move(exit));
}

std::string encode(const TaskUnbound& task) {
  Encoder out;
  out.u32(task.local_id);
  return out.bytes();
}

std::optional<TaskUnbound> decode_task_unbound(std::string_view bytes) {
  Decoder in(bytes);
  TaskUnbound task{in.u32()};
  return whole(in, std::move(task));
}

std::string encode(const TasksStarted& tasks) {
  Encoder out;
  out.u32s(tasks.pids);
  return out.bytes();
}

std::optional<TasksStarted> decode_tasks_started(std::string_view bytes) {
  Decoder in(bytes);
  TasksStarted tasks{in.u32s()};
  return whole(in, std::move(tasks));
}

}  // namespace muster::wire
