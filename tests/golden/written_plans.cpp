#include "written_plans.hpp"

#include "captures.hpp"
#include "core/error.hpp"
#include "usual_steps.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace muster::golden {
namespace {

std::string numbers(const std::vector<std::size_t>& values, const auto& name) {
  std::string text;
  for (const auto value : values) text += (text.empty() ? "" : "+") + name(value);
  return text;
}

// "48-55,112-119/3/0/mlx5_0+mlx5_1": CPUs, NUMA nodes, GPUs, NICs.
std::string describe(const topology::Topology& node, const binding::TaskBinding& task) {
  return fmt::format(
      "{}/{}/{}/{}", task.cpus.to_string(), task.numa.to_string(),
      numbers(task.gpus, [&](std::size_t gpu) { return std::to_string(node.gpus[gpu].index); }),
      numbers(task.nics, [&](std::size_t nic) { return node.nics[nic].name; }));
}

std::string outcome(const topology::Topology& node, const binding::BindingRequest& request) try {
  const binding::BindingPlan plan = bind(node, request);
  std::string line;
  for (const auto& task : plan.tasks) line += " " + describe(node, task);
  return line + (plan.warnings.empty() ? "" : fmt::format(" !{}", plan.warnings.size()));
} catch (const Error&) {
  return " error";
}

std::string read(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::string plans_of(const topology::Topology& node) {
  std::string text =
      "# cpuset policy tasks: CPUs/NUMA/GPUs/NICs of each task, !number of warnings\n";
  const std::size_t most = std::max<std::size_t>(4, node.gpus.size());
  for (const auto& cpus : usual_cpusets(node))
    for (const auto& policy : binding_policies)
      for (std::size_t tasks = 1; tasks <= most; ++tasks) {
        auto request = whole_node(node);
        request.allowed = cpus.set;
        request.policy = policy.bind;
        request.tasks = tasks;
        text += fmt::format("{} {} {}:{}\n", cpus.name, policy.name, tasks, outcome(node, request));
      }
  return text;
}

bool compare_with_written_plans(const std::string& name, const topology::Topology& node) {
  const auto file = std::filesystem::path(MUSTER_GOLDEN_PLANS) / (name + ".txt");
  const std::string plans = plans_of(node);
  if (std::getenv("MUSTER_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << plans;
  if (!std::filesystem::exists(file)) return false;
  EXPECT_EQ(lines_of(plans), lines_of(read(file))) << name;
  return true;
}

}  // namespace muster::golden
