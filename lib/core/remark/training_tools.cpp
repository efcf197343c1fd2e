#include "core/remark/training_tools.hpp"

#include "core/text/base_name.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace muster::remark {
namespace {

using Words = std::span<const std::string>;

bool is_one_of(const auto& commands, std::string_view command) {
  return std::ranges::find(commands, command) != commands.end();
}

// axolotl train uses accelerate launch if no option says otherwise. A file that --runtime names may also say
// otherwise, and --cloud starts the training elsewhere.
bool axolotl_starts_ranks(Words options) {
  for (std::size_t i = 0; i < options.size() && options[i] != "--"; ++i) {
    const std::string_view option = options[i];
    const auto name = option.substr(0, option.find('='));
    if (name == "--no-accelerate" || name == "--use-ray" || name == "--runtime" ||
        name == "--cloud")
      return false;
    if (name != "--launcher") continue;
    const auto next =
        i + 1 < options.size() ? std::string_view(options[i + 1]) : std::string_view();
    const auto launcher = name == option ? next : option.substr(name.size() + 1);
    return launcher == "torchrun" || launcher == "accelerate";
  }
  return true;
}

// Options in front of the recipe are torchrun's. Without them, the recipe runs in the tool's own process.
bool tune_starts_ranks(Words options) {
  return !options.empty() && options[0].starts_with('-') && options[0] != "-h" &&
         options[0] != "--help";
}

// TRL starts `accelerate launch` with one of its scripts, which can also be run as a module. Its other
// commands start no ranks.
std::optional<TrainingTool> trl_tool(std::string_view command) {
  constexpr std::array<std::string_view, 6> scripts{"dpo", "grpo", "kto", "reward", "rloo", "sft"};
  if (!is_one_of(scripts, command)) return std::nullopt;
  return TrainingTool{fmt::format("with several GPUs, trl {}", command),
                      fmt::format("use python3 -m trl.scripts.{} instead", command)};
}

// ms-swift's commands start torchrun if one of these variables is set, and otherwise run as one rank, which
// takes its place from RANK and the like. Only some of those of `swift`, but all of `megatron`, do so.
std::optional<TrainingTool> swift_tool(std::string_view name, std::string_view command,
                                       const Environment& environment) {
  constexpr std::array<std::string_view, 4> of_swift{"pt", "sft", "rlhf", "infer"};
  constexpr std::array<std::string_view, 4> of_megatron{"pt", "sft", "rlhf", "export"};
  const bool starts_ranks = name == "swift"      ? is_one_of(of_swift, command)
                            : name == "megatron" ? is_one_of(of_megatron, command)
                                                 : false;
  if (!starts_ranks) return std::nullopt;
  for (const auto* const variable : {"NPROC_PER_NODE", "NNODES"}) {
    if (!environment.contains(variable)) continue;
    return TrainingTool{fmt::format("with {} set, {} {}", variable, name, command),
                        "unset NPROC_PER_NODE and NNODES"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<TrainingTool> training_tool_of(Words program, const Environment& environment) {
  if (program.size() < 2) return std::nullopt;
  const auto name = text::base_name(program[0]);
  const auto options = program.subspan(2);
  if (name == "axolotl" && program[1] == "train" && axolotl_starts_ranks(options)) {
    return TrainingTool{"axolotl train", "add --launcher python"};
  }
  if (name == "tune" && program[1] == "run" && tune_starts_ranks(options)) {
    return TrainingTool{"tune run", "leave out the options before the recipe"};
  }
  // With one GPU, it runs in its own process.
  if (name == "llamafactory-cli" && program[1] == "train") {
    return TrainingTool{"with several GPUs, llamafactory-cli train",
                        "use python3 -m llamafactory.launcher instead"};
  }
  if (name == "trl") return trl_tool(program[1]);
  return swift_tool(name, program[1], environment);
}

}  // namespace muster::remark
