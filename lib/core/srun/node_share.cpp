#include "core/srun/node_share.hpp"

#include "core/error.hpp"
#include "core/srun/gpu_total.hpp"
#include "core/srun/values.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include <fmt/format.h>

namespace muster::srun {
namespace {

// What the first four count is meant for the whole node, or for all nodes of the step; the others say how
// steps share it.
constexpr std::array<std::string_view, 7> replaced{"gres",  "gpus-per-node", "gpus",   "mem",
                                                   "exact", "exclusive",     "overlap"};

std::string divided(std::string_view option, const std::string& value, std::uint64_t parts) {
  const auto part = gpus_for(value, parts, 1);
  if (part) return fmt::format("--{}={}", option, *part);
  throw Error(
      fmt::format("groups=: --{}={} cannot be divided evenly among {} groups; use a multiple of {}",
                  option, text::printable(value), parts, parts));
}

bool counts_gpus_by_task(const Line& line, const Environment& environment) {
  return line.has_any({"gpus-per-task", "ntasks-per-gpu", "tres-per-task", "gpus-per-socket"}) ||
         environment.contains("SLURM_GPUS_PER_TASK") ||
         environment.contains("SLURM_NTASKS_PER_GPU") ||
         environment.contains("SLURM_TRES_PER_TASK");
}

void add_gpus(std::vector<std::string>& words, const Line& line, const Environment& environment,
              const NodeShare& share) {
  bool is_counted = counts_gpus_by_task(line, environment);
  for (const std::string_view option : {"gres", "gpus-per-node"}) {
    const auto value = setting(line, environment, option);
    if (!value || *value == "none") continue;
    words.push_back(divided(option, *value, share.parts));
    is_counted = true;
  }
  if (const auto gpus = setting(line, environment, "gpus")) {
    const bool is_steps = line.has("gpus") && line.has("nodes");
    const auto nodes =
        setting(is_steps ? line : Line(), is_steps ? Environment() : environment, "nodes");
    words.push_back(
        divided("gpus", *gpus,
                std::uint64_t{share.parts} * leading_number(nodes.value_or("1")).value_or(1)));
    is_counted = true;
  }
  // A step that asks for none gets all GPUs of the job, for itself alone.
  if (!is_counted && share.gpus > 0)
    words.push_back(divided("gres", fmt::format("gpu:{}", share.gpus), share.parts));
}

// "8G" for one of three: "2796202K".
std::optional<std::string> divided_memory(const std::string& value, std::uint32_t parts) {
  constexpr std::string_view units = "KMGT";
  const bool has_unit =
      !value.empty() && !text::number<std::uint64_t>(value.substr(value.size() - 1));
  auto unit =
      has_unit ? units.find(static_cast<char>(std::toupper(value.back()))) : units.find('M');
  auto amount = text::number<std::uint64_t>(value.substr(0, value.size() - (has_unit ? 1 : 0)));
  if (!amount || unit == std::string_view::npos) return std::nullopt;
  for (; unit > 0; --unit) *amount *= 1024;
  return fmt::format("{}K", *amount / parts);
}

// Zero is all memory of the job on the node, for all steps together.
std::string memory(const Line& line, std::uint32_t parts) {
  const auto* const asked = line.last("mem");
  if (asked == nullptr || !asked->value || *asked->value == "0") return "--mem=0";
  const auto part = divided_memory(*asked->value, parts);
  if (part) return "--mem=" + *part;
  throw Error(fmt::format("groups=: cannot parse --mem={}; use a size such as 16G",
                          text::printable(*asked->value)));
}

bool counts_memory_otherwise(const Line& line, const Environment& environment) {
  return line.has_any({"mem-per-cpu", "mem-per-gpu"}) ||
         environment.contains("SLURM_MEM_PER_CPU") || environment.contains("SLURM_MEM_PER_GPU");
}

}  // namespace

bool is_of_node_share(std::string_view option) {
  return std::ranges::find(replaced, option) != replaced.end();
}

std::vector<std::string> share_options(const Line& line, const Environment& environment,
                                       const NodeShare& share) {
  std::vector<std::string> words{"--exact"};
  if (!line.has_any({"cpus-per-task", "cpus-per-gpu", "tres-per-task"})) {
    const auto* const of_job = environment.if_set("SLURM_CPUS_PER_TASK");
    words.push_back("--cpus-per-task=" + (of_job ? *of_job : fmt::to_string(share.cpus_per_task)));
  }
  add_gpus(words, line, environment, share);
  if (!counts_memory_otherwise(line, environment)) words.push_back(memory(line, share.parts));
  return words;
}

std::uint32_t cpus_per_task(std::uint32_t cpus, std::uint32_t threads_per_core, std::uint32_t parts,
                            std::uint32_t tasks_of_part) {
  const auto threads = std::max(threads_per_core, 1U);
  const auto cores = cpus / threads / std::max(parts, 1U);
  if (cores == 0) return 0;
  return std::max(cores * threads / std::max(tasks_of_part, 1U), 1U);
}

}  // namespace muster::srun
