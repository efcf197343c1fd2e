#include "core/request/policy_check.hpp"

#include "core/error.hpp"
#include "core/option/bounds.hpp"
#include "core/option/conversion.hpp"
#include "core/option/key_table.hpp"
#include "core/option/merge.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::request {
namespace {

// Whether a request has this value when its user set nothing. The submit host may have no site file.
bool is_default(option::Key key, const std::string& value, const site::Config& site) {
  if (value == info(key).default_text) return true;
  const auto found = site.defaults.values.find(key);
  return found != site.defaults.values.end() && value == canonical(key, found->second);
}

[[noreturn]] void refuse(option::Key key, const std::string& value, const std::string& why,
                         const std::string& where) {
  throw Error(
      fmt::format("{}={}: the site's policy on this node {} ({}); use srun "
                  "--distributed, which knows the policy, and leave {} out",
                  to_string(key), value, why, where, to_string(key)));
}

void check_fixed(const Request& request, option::Key key, const option::Setting& fix) {
  const auto value = value_of(request, key);
  const auto wanted = canonical(key, fix);
  if (value != wanted)
    refuse(key, value, fmt::format("fixes {}={}", to_string(key), wanted), fix.where);
}

void check_forbidden(const Request& request, const option::Forbidden& forbidden,
                     const site::Config& site) {
  const auto value = value_of(request, forbidden.key);
  const option::Setting setting{value, Origin::option, {}};
  if (forbidden.value && names_value(forbidden.key, setting, forbidden))
    refuse(forbidden.key, value, "forbids this value", forbidden.where);
  const bool fixed = site.policy.fix.contains(forbidden.key);
  if (!forbidden.value && !fixed && !is_default(forbidden.key, value, site))
    refuse(forbidden.key, value, "forbids this key", forbidden.where);
}

void check_bounds(const Request& request, option::Key key, const option::Policy& policy) {
  const auto value = value_of(request, key);
  const auto broken = broken_bound(key, {value, Origin::option, {}}, policy);
  if (broken) refuse(key, value, fmt::format("allows {}", broken->text), broken->bound->where);
}

void check_profile(const Request& request, const option::Policy& policy) {
  const auto& allowed = policy.profiles;
  if (!allowed || std::ranges::count(allowed->names, request.profile) > 0) return;
  throw Error(fmt::format(
      "profile {}: the site's policy on this node allows only {} ({}); choose an allowed profile",
      text::in_quotes(request.profile), text::join(allowed->names, ", "), allowed->where));
}

}  // namespace

void check_policy(const Request& request, const site::Config& site) {
  for (const auto& [key, fix] : site.policy.fix) check_fixed(request, key, fix);
  for (const auto& forbidden : site.policy.forbid) check_forbidden(request, forbidden, site);
  for (const auto& [key, bound] : site.policy.max) check_bounds(request, key, site.policy);
  for (const auto& [key, bound] : site.policy.min) check_bounds(request, key, site.policy);
  check_profile(request, site.policy);
}

}  // namespace muster::request
