#include "core/site/policy.hpp"

#include "core/error.hpp"
#include "core/file/yaml.hpp"
#include "core/option/bounds.hpp"
#include "core/option/conversion.hpp"
#include "core/option/key_table.hpp"
#include "core/option/profile_name.hpp"
#include "core/site/key_settings.hpp"
#include "core/site/variable_policy.hpp"
#include "core/text/quote.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace muster::site {
namespace {

constexpr std::array<std::string_view, 6> policy_keys{"fix", "forbid",   "min",
                                                      "max", "profiles", "variables"};

option::Forbidden parse_forbidden(const file::Yaml& item) {
  const std::string text = item.text();
  const std::size_t equals = text.find('=');
  const option::KeyInfo& key =
      option::key_named(std::string_view(text).substr(0, equals), item.where());
  if (equals == std::string::npos) return {key.key, std::nullopt, item.where()};
  const option::Setting setting{text.substr(equals + 1), Origin::site, item.where()};
  canonical(key.key, setting);
  return {key.key, setting.value, setting.where};
}

std::map<option::Key, option::Setting> parse_bounds(const file::Yaml& mapping) {
  auto bounds = parse_key_settings(mapping, Origin::site);
  for (const file::Yaml::Entry& entry : mapping.entries()) {
    const auto& key = option::key_named(entry.key, entry.key_node.where());
    if (option::number_of(key.key, bounds.at(key.key))) continue;
    throw entry.value.error(fmt::format(
        "{}: a bound must be a number, and its key must take numbers; otherwise, use fix or forbid",
        text::in_quotes(entry.key)));
  }
  return bounds;
}

option::AllowedProfiles parse_profiles(const file::Yaml& list) {
  option::AllowedProfiles profiles{{}, list.where()};
  for (const file::Yaml& item : list.items()) {
    profiles.names.push_back(item.text());
    if (option::is_profile_name(profiles.names.back())) continue;
    throw item.error(
        fmt::format("{}: not the name of a profile; use one that --distributed=help lists",
                    text::in_quotes(profiles.names.back())));
  }
  if (profiles.names.empty()) {
    throw list.error(
        "an empty list of profiles, with which no run could start; list the allowed profiles");
  }
  return profiles;
}

}  // namespace

option::Policy parse_policy(const file::Yaml& mapping) {
  option::Policy policy;
  for (const file::Yaml::Entry& entry : mapping.entries()) {
    if (entry.key == "fix") {
      policy.fix = parse_key_settings(entry.value, Origin::site);
    } else if (entry.key == "forbid") {
      for (const file::Yaml& item : entry.value.items())
        policy.forbid.push_back(parse_forbidden(item));
    } else if (entry.key == "min") {
      policy.min = parse_bounds(entry.value);
    } else if (entry.key == "max") {
      policy.max = parse_bounds(entry.value);
    } else if (entry.key == "profiles") {
      policy.profiles = parse_profiles(entry.value);
    } else if (entry.key == "variables") {
      policy.variables = parse_variable_policy(entry.value);
    } else {
      throw unknown_key(entry, "a policy", policy_keys);
    }
  }
  return policy;
}

option::Policy with_policy(option::Policy general, const option::Policy& special) {
  for (const auto& [key, setting] : special.fix) general.fix.insert_or_assign(key, setting);
  for (const auto& [key, setting] : special.min) general.min.insert_or_assign(key, setting);
  for (const auto& [key, setting] : special.max) general.max.insert_or_assign(key, setting);
  general.forbid.insert(general.forbid.end(), special.forbid.begin(), special.forbid.end());
  if (special.profiles) general.profiles = special.profiles;
  general.variables = with_variable_policy(std::move(general.variables), special.variables);
  return general;
}

}  // namespace muster::site
