#include "spank/option.hpp"

#include <cstring>

namespace muster::spank {

void Option::accept(const char* argument) {
  // Slurm passes a missing optional argument as NULL, "" or "(null)", depending on the release and
  // on the source of the option (plugstack.c, _option_setenv).
  const bool bare = argument == nullptr || std::strcmp(argument, "(null)") == 0;
  value_ = bare ? "" : argument;
}

std::optional<std::string> Option::wanted(const char* environment_value) const {
  auto value = value_;
  if (!value && environment_value != nullptr && *environment_value != '\0')
    value = environment_value;
  if (value && *value == "off") return std::nullopt;
  return value;
}

}  // namespace muster::spank
