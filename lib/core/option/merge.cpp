#include "core/option/merge.hpp"

#include "core/error.hpp"
#include "core/option/bounds.hpp"
#include "core/option/conversion.hpp"
#include "core/option/key_table.hpp"
#include "core/option/keys.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace muster::option {
namespace {

bool asked_by_user(const Setting& setting) {
  return setting.origin == Origin::user || setting.origin == Origin::option;
}

// Inserting into a map keeps existing entries, so the first layer that names a key wins.
Settings highest(std::span<const Layer> highest_first) {
  std::optional<Setting> profile;
  std::map<Key, Setting> values;
  for (const Layer& layer : highest_first) {
    if (!profile) profile = layer.profile;
    values.insert(layer.values.begin(), layer.values.end());
  }
  Settings settings = default_settings();
  values.insert(settings.values.begin(), settings.values.end());
  return {profile.value_or(settings.profile), std::move(values)};
}

Setting fixed(Key key, const Setting& asked, const Setting& fix) {
  if (asked_by_user(asked) && canonical(key, asked) != canonical(key, fix)) {
    throw Error(fmt::format("{}: {}={}: the site's policy fixes {}={} ({}); leave {} out",
                            asked.where, to_string(key), text::printable(asked.value),
                            to_string(key), text::printable(fix.value), fix.where, to_string(key)));
  }
  return fix;
}

void check_forbidden(const Settings& settings, const Forbidden& forbidden) {
  const Setting& setting = settings.at(forbidden.key);
  const bool hit =
      forbidden.value ? names_value(forbidden.key, setting, forbidden) : asked_by_user(setting);
  if (!hit) return;
  const std::string_view name = to_string(forbidden.key);
  throw Error(fmt::format("{}: {}={}: the site's policy forbids {} ({}); {}", setting.where, name,
                          text::printable(setting.value),
                          forbidden.value ? "this value" : "this key", forbidden.where,
                          forbidden.value ? "choose another value" : "leave it out"));
}

// If the user did not ask for a value that is out of bounds, it is moved to the bound.
void keep_within(Settings& settings, const Policy& policy) {
  for (auto& [key, setting] : settings.values) {
    const auto broken = broken_bound(key, setting, policy);
    if (!broken) continue;
    if (asked_by_user(setting)) {
      throw Error(fmt::format("{}: {}={}: the site's policy allows {} ({}); choose another value",
                              setting.where, to_string(key), text::printable(setting.value),
                              broken->text, broken->bound->where));
    }
    setting = *broken->bound;
  }
}

void check_profile(const Setting& profile, const Policy& policy) {
  if (!policy.profiles || std::ranges::count(policy.profiles->names, profile.value) > 0) return;
  throw Error(fmt::format(
      "{}: profile {}: the site's policy allows only {} ({}); choose an allowed profile",
      profile.where, text::in_quotes(profile.value), text::join(policy.profiles->names, ", "),
      policy.profiles->where));
}

}  // namespace

bool names_value(Key key, const Setting& setting, const Forbidden& forbidden) {
  const Setting unwanted{*forbidden.value, Origin::site, forbidden.where};
  if (canonical(key, setting) == canonical(key, unwanted)) return true;
  if (key != Key("network")) return false;
  return std::ranges::count(parse_value(key, setting).network, *forbidden.value) > 0;
}

Settings merge(std::span<const Layer> highest_first, const Policy& policy) {
  Settings settings = highest(highest_first);
  for (const auto& [key, fix] : policy.fix) {
    settings.values[key] = fixed(key, settings.at(key), fix);
  }
  for (const Forbidden& forbidden : policy.forbid) check_forbidden(settings, forbidden);
  keep_within(settings, policy);
  check_profile(settings.profile, policy);
  return settings;
}

}  // namespace muster::option
