#include "core/plan/network_remark.hpp"

#include "core/plan/plan.hpp"
#include "core/profile/profile.hpp"
#include "core/text/list.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace muster::plan {
namespace {

bool names_interface(const profile::Template& value) {
  using profile::Placeholder;
  return value.uses(Placeholder::gloo_ifname) || value.uses(Placeholder::socket_ifname);
}

// The user or the site may have set some of them.
std::vector<std::string> missing_variables(const NodePlan& plan, const profile::Profile& profile) {
  std::vector<std::string> missing;
  if (plan.tasks.empty()) return missing;
  const auto& planned = plan.tasks.front().variables;
  for (const auto& [name, value] : profile.environment) {
    if (names_interface(value) && std::ranges::find(planned, name, &EnvVar::name) == planned.end())
      missing.push_back(name);
  }
  return missing;
}

}  // namespace

std::string network_remark(const NodePlan& plan, const NodeNetwork& network,
                           const profile::Profile& profile) {
  if (!network.has_other_first_address) return {};
  const auto missing = missing_variables(plan, profile);
  if (missing.empty()) return {};
  return fmt::format(
      "{0} has several addresses, and the nodes reach each other at one that is not its first, so "
      "muster does not set {1}, with which the first would be used; if the ranks cannot connect, "
      "choose another interface with network=",
      network.interface, text::join(missing, " and "));
}

}  // namespace muster::plan
