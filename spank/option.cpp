#include "spank/option.hpp"

#include <cstring>

namespace muster::spank {

void Option::accept(const char* argument) {
  // Slurm writes a missing optional argument as NULL, "" or "(null)", depending on release and
  // on the way the option came (plugstack.c, _option_setenv).
  const bool bare = argument == nullptr || std::strcmp(argument, "(null)") == 0;
  value_ = bare ? "" : argument;
}

std::optional<std::string> Option::wanted(const char* twin) const {
  auto value = value_;
  if (!value && twin != nullptr && *twin != '\0') value = twin;
  if (value && *value == "off") return std::nullopt;
  return value;
}

}  // namespace muster::spank
