// Expands a profile's variables for one task.
#include "core/profile/overriding_variables.hpp"
#include "core/profile/profile.hpp"
#include "core/text/quote.hpp"

#include <utility>

#include <fmt/format.h>

namespace muster::profile {
namespace {

std::string different_value_warning(const std::string& name, const std::string& users) {
  return fmt::format(
      "{}={} in your environment is replaced: it identifies each task, so one exported "
      "value cannot be right for all; unset it",
      name, text::printable(users));
}

}  // namespace

Expansion expand(const Profile& profile, const PlaceholderValues& values,
                 const Environment& user_environment) {
  Expansion result;
  for (const ProfileVariable& variable : profile.environment) {
    const bool identity = variable.value.identity();
    const auto users = user_environment.find(variable.name);
    const bool exported = users != user_environment.end();
    // Slurm sets its own variables in every step; they do not come from the user.
    const bool slurms = variable.name.starts_with("SLURM_");
    if (exported && !identity) {
      result.variables.push_back(
          {variable.name, users->second, slurms ? Origin::slurm : Origin::user, false, true});
      continue;
    }
    if (!identity && overriding_variable(variable.name, user_environment)) continue;
    auto ours = variable.value.expand(values);
    if (!ours) continue;
    if (exported && !slurms && users->second != ours->value) {
      result.warnings.push_back(different_value_warning(variable.name, users->second));
    }
    result.variables.push_back({variable.name, std::move(ours->value), ours->origin, identity});
  }
  return result;
}

}  // namespace muster::profile
