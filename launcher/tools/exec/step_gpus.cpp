#include "launcher/tools/exec/step_gpus.hpp"

#include "core/resources/gpu_allocation.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace muster::exec {
namespace {

// The same variable names, each with the values of all tasks that have it, one after another.
Environment joined(const std::vector<Environment>& by_task) {
  Environment all;
  for (const auto& variables : by_task) {
    for (const auto& [name, value] : variables) {
      const auto* const before = all.if_set(name);
      all.set(name, before == nullptr ? value : *before + ',' + value);
    }
  }
  return all;
}

bool all_equal(const std::vector<std::size_t>& counts) {
  return std::ranges::all_of(counts, [&](auto count) { return count == counts.front(); });
}

bool has_twice(std::vector<std::string> ids) {
  std::ranges::sort(ids);
  return std::ranges::adjacent_find(ids) != ids.end();
}

// 0 if it is not set.
std::size_t number(const std::string& text) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

StepGpus step_gpus(const std::vector<Environment>& by_task, const std::string& gpus_on_node) {
  StepGpus result;
  std::vector<std::string> ids;
  for (const auto& variables : by_task) {
    const auto grant = resources::gpu_grant(variables, {});
    result.count.push_back(grant.ids.size());
    ids.insert(ids.end(), grant.ids.begin(), grant.ids.end());
  }
  const bool same =
      std::ranges::all_of(by_task, [&](const auto& each) { return each == by_task.front(); });
  if (by_task.empty() || same) {
    if (by_task.empty()) return result;
    result.variables = by_task.front();
    const auto shown = result.count.front();
    if (shown > 0 && shown < number(gpus_on_node)) result.tres_bind = "gpu:by_task";
    return result;
  }
  result.variables = joined(by_task);
  // --gpus-per-task gives equal, disjoint parts; with other options, each task knows only its own part.
  const bool parts = all_equal(result.count) && !has_twice(ids);
  result.tres_bind =
      parts ? fmt::format("gpu:per_task:{}", result.count.front()) : std::string("gpu:by_task");
  return result;
}

}  // namespace muster::exec
