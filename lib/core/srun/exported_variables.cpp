#include "core/srun/exported_variables.hpp"

#include "core/srun/command.hpp"
#include "core/srun/line.hpp"

#include <string_view>

namespace muster::srun {
namespace {

bool is_all(std::string_view value) {
  return value.empty() || value == "ALL" || value == "all";
}

}  // namespace

bool hands_on_everything(const Command& command, const Environment& environment) {
  const auto chosen = setting(read_line(command), environment, "export");
  return !chosen || is_all(*chosen);
}

}  // namespace muster::srun
