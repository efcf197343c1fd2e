#include "core/site/variable_names.hpp"

#include "core/text/quote.hpp"

#include <algorithm>
#include <array>

namespace muster::site {
namespace {

struct Refused {
  std::string_view name;  // a trailing '*' matches any rest
  std::string_view why;
};

constexpr std::string_view slurms = "it belongs to Slurm";
constexpr std::string_view musters = "it belongs to muster ('defaults:' and 'policy:' set keys)";
constexpr std::string_view ranks = "it differs from rank to rank, and muster sets it";
constexpr std::string_view code = "it decides which code programs load (a module can set it)";
constexpr std::string_view session = "it belongs to the user's session";
constexpr std::string_view devices =
    "it chooses GPUs, and Slurm has given the step its own (see 'gpus=')";

constexpr std::array refused{
    Refused{"SLURM*", slurms},
    Refused{"SBATCH_*", slurms},
    Refused{"SALLOC_*", slurms},
    Refused{"SRUN_*", slurms},
    Refused{"SPANK_*", slurms},
    Refused{"PMI_*", slurms},
    Refused{"PMI2_*", slurms},
    Refused{"PMIX_RANK", slurms},
    Refused{"PMIX_NAMESPACE", slurms},
    Refused{"PMIX_SERVER_*", slurms},
    Refused{"MUSTER_*", musters},
    Refused{"RANK", ranks},
    Refused{"WORLD_SIZE", ranks},
    Refused{"LOCAL_RANK", ranks},
    Refused{"LOCAL_WORLD_SIZE", ranks},
    Refused{"NODE_RANK", ranks},
    Refused{"GROUP_*", ranks},
    Refused{"ROLE_*", ranks},
    Refused{"MASTER_ADDR", ranks},
    Refused{"MASTER_PORT", ranks},
    Refused{"TORCHELASTIC_*", ranks},
    Refused{"PET_*", ranks},
    Refused{"LD_*", code},
    Refused{"GLIBC_TUNABLES", code},
    Refused{"GCONV_PATH", code},
    Refused{"PYTHONPATH", code},
    Refused{"PYTHONHOME", code},
    Refused{"PYTHONSTARTUP", code},
    Refused{"BASH_ENV", code},
    Refused{"BASH_FUNC_*", code},
    Refused{"ENV", code},
    Refused{"PATH", session},
    Refused{"HOME", session},
    Refused{"USER", session},
    Refused{"LOGNAME", session},
    Refused{"SHELL", session},
    Refused{"SHLVL", session},
    Refused{"SHELLOPTS", session},
    Refused{"BASHOPTS", session},
    Refused{"PWD", session},
    Refused{"OLDPWD", session},
    Refused{"IFS", session},
    Refused{"_", session},
    Refused{"CUDA_VISIBLE_DEVICES", devices},
    Refused{"NVIDIA_VISIBLE_DEVICES", devices},
    Refused{"HIP_VISIBLE_DEVICES", devices},
    Refused{"ROCR_VISIBLE_DEVICES", devices},
    Refused{"GPU_DEVICE_ORDINAL", devices},
    Refused{"ZE_AFFINITY_MASK", devices},
};

bool is_meant(const Refused& one, std::string_view name) {
  if (!one.name.ends_with('*')) return one.name == name;
  return name.starts_with(one.name.substr(0, one.name.size() - 1));
}

bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= max_variable_name && is_letter(name.front()) &&
         std::ranges::all_of(name, [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

std::optional<std::string_view> refusal_of_name(std::string_view name) {
  if (!is_name(name))
    return "it is not a valid variable name (letters, digits and _, at most 128 characters)";
  const auto* const found =
      std::ranges::find_if(refused, [&](const Refused& one) { return is_meant(one, name); });
  return found == refused.end() ? std::nullopt : std::optional(found->why);
}

std::optional<std::string_view> refusal_of_value(std::string_view value) {
  if (value.size() > max_variable_value) return "it is longer than 4096 bytes";
  if (text::printable_path(value) != value)
    return "it contains control characters, or is not UTF-8";
  return std::nullopt;
}

}  // namespace muster::site
