#include "core/remark/idle_gpus.hpp"

#include "core/text/amounts.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::remark {
namespace {

// A framework that reads a local rank uses the GPU with that index. Others use all GPUs that they see.
bool has_one_gpu_per_task(const profile::Profile& profile) {
  return profile.mode == profile::Mode::rank &&
         std::ranges::any_of(profile.environment, [](const auto& variable) {
           return variable.value.uses(profile::Placeholder::local_rank);
         });
}

bool is_torchs(const profile::Profile& profile) {
  return std::ranges::find(profile.environment, "TORCHELASTIC_RUN_ID",
                           &profile::ProfileVariable::name) != profile.environment.end();
}

// If GPUs are shared, each task sees all of them.
std::size_t visible_gpus(std::span<const resources::TaskResources> tasks) {
  std::size_t count = 0;
  for (const auto& task : tasks) {
    for (const auto gpu : task.view.own) count = std::max(count, gpu + 1);
  }
  return count;
}

}  // namespace

std::string too_few_gpus(const profile::Profile& profile, option::Gpus seen,
                         std::span<const resources::TaskResources> tasks,
                         const resources::GpuConfinement& confinement) {
  using Kind = resources::GpuConfinement::Kind;
  if (seen == option::Gpus::own || confinement.kind != Kind::none ||
      !has_one_gpu_per_task(profile)) {
    return {};
  }
  const auto gpus = visible_gpus(tasks);
  if (gpus == 0 || tasks.size() <= gpus) return {};
  return fmt::format(
      "{0} tasks and {1} {2}: there is no GPU number {1} for LOCAL_RANK {1}; use --ntasks-per-node={1}, "
      "--gpus-per-node={0}, or GPU number LOCAL_RANK % {1} in the program",
      tasks.size(), gpus, text::plural(gpus, "GPU"));
}

std::string idle_gpus(const profile::Profile& profile, option::Gpus seen,
                      std::span<const resources::TaskResources> tasks,
                      const resources::GpuConfinement& confinement) {
  using Kind = resources::GpuConfinement::Kind;
  if (seen == option::Gpus::own || confinement.kind != Kind::none || tasks.size() != 1 ||
      !has_one_gpu_per_task(profile)) {
    return {};
  }
  const auto gpus = tasks.front().gpus.size();
  if (gpus < 2) return {};
  return fmt::format(
      "{0} GPUs and 1 task: a rank uses one GPU, so use --ntasks-per-node={0}{1}; if the program starts its "
      "own ranks, use profile none; if the rank uses all of the GPUs, add gpus=own",
      gpus, is_torchs(profile) ? ", or profile torchrun" : "");
}

std::string one_instance_each(const profile::Profile& profile, option::Gpus wanted,
                              option::Gpus seen) {
  if (wanted == seen || !has_one_gpu_per_task(profile)) return {};
  return "a program can use only one MIG instance, so each rank sees only its own: a program that uses the "
         "GPU with index LOCAL_RANK fails; use GPU 0 in the program, and add gpus=own to turn off this "
         "warning";
}

}  // namespace muster::remark
