// Expands a profile's variables for one task.
#include "core/profile/overriding_variables.hpp"
#include "core/profile/profile.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
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

// Everything that decides the value of a variable: first the user's setting, then files, then the site.
struct Settings {
  const Environment& user;
  const OtherSettings& others;

  // The site's variable, unless something above it has decided.
  [[nodiscard]] const EnvVar* sites(const std::string& name) const {
    const auto found = std::ranges::find(others.site, name, &EnvVar::name);
    const bool decided = user.contains(name) || others.files.contains(name) ||
                         overriding_variable(name, user) || overriding_variable(name, others.files);
    return found == others.site.end() || decided ? nullptr : &*found;
  }

  // Whether another variable, no matter who set it, makes this variable of the profile void.
  [[nodiscard]] bool is_overridden(const std::string& name) const {
    if (overriding_variable(name, user) || overriding_variable(name, others.files)) return true;
    Environment site;
    for (const auto& variable : others.site) site.add(variable.name, variable.value);
    return overriding_variable(name, site).has_value();
  }
};

// Adds the variables that the profile does not name. A variable that the user exported is shown unchanged.
void add_sites(Expansion& result, const Settings& settings) {
  for (const auto& variable : settings.others.site) {
    if (std::ranges::find(result.variables, variable.name, &EnvVar::name) !=
        result.variables.end()) {
      continue;
    }
    if (const auto* const users = settings.user.if_set(variable.name)) {
      result.variables.push_back({variable.name, *users, Origin::user, false, true});
    } else if (settings.sites(variable.name) != nullptr) {
      result.variables.push_back(variable);
    }
  }
}

}  // namespace

Expansion expand(const Profile& profile, const PlaceholderValues& values,
                 const Environment& user_environment, const OtherSettings& others) {
  Expansion result;
  const Settings settings{user_environment, others};
  for (const ProfileVariable& variable : profile.environment) {
    const bool identity = variable.value.identity();
    const auto* const users = user_environment.if_set(variable.name);
    const bool exported = users != nullptr;
    // Slurm sets its own variables in every step; they do not come from the user.
    const bool slurms = variable.name.starts_with("SLURM_");
    const bool extends = variable.value.extends_users();
    if (exported && !identity && !(extends && variable.value.expand(values))) {
      result.variables.push_back(
          {variable.name, *users, slurms ? Origin::slurm : Origin::user, false, true});
      continue;
    }
    if (const auto* const sites = settings.sites(variable.name);
        sites != nullptr && !identity && !(extends && variable.value.expand(values))) {
      result.variables.push_back(*sites);
      continue;
    }
    if (!identity &&
        (others.files.contains(variable.name) || settings.is_overridden(variable.name)))
      continue;
    auto ours = variable.value.expand(values);
    if (!ours) continue;
    if (exported && identity && !slurms && *users != ours->value) {
      result.warnings.push_back(different_value_warning(variable.name, *users));
    }
    result.variables.push_back({variable.name, std::move(ours->value), ours->origin, identity});
  }
  add_sites(result, settings);
  return result;
}

}  // namespace muster::profile
