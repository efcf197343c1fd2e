#include "launcher/allocation/exported_variables.hpp"

#include "launcher/allocation/srun_line.hpp"
#include "launcher/supervise/srun_command.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace muster::allocation {
namespace {

// srun's man page: SLURM_EXPORT_ENV is the same as --export, and SRUN_EXPORT_ENV comes before it.
constexpr std::array export_variables{"SRUN_EXPORT_ENV", "SLURM_EXPORT_ENV"};

bool is_all(std::string_view value) {
  return value.empty() || value == "ALL" || value == "all";
}

}  // namespace

bool hands_on_everything(const supervise::SrunCommand& command, const Environment& environment) {
  const auto line = read_srun_line(command);
  if (line.last("export-file") != nullptr) return false;
  if (const auto* const chosen = line.last("export")) return is_all(chosen->value.value_or(""));
  return std::ranges::all_of(export_variables, [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() || is_all(found->second);
  });
}

}  // namespace muster::allocation
