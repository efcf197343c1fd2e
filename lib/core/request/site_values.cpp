#include "core/request/site_values.hpp"

#include "core/option/key_table.hpp"

namespace muster::request {
namespace {

const option::Setting* value_for(option::Key key, const site::Config& site) {
  const auto fixed = site.policy.fix.find(key);
  if (fixed != site.policy.fix.end()) return &fixed->second;
  const auto set = site.defaults.values.find(key);
  return set == site.defaults.values.end() ? nullptr : &set->second;
}

}  // namespace

Request with_site_values(Request request, const site::Config& site) {
  for (const option::KeyInfo& key : option::keys()) {
    const auto origin = source(request, key.key).origin;
    const bool is_free = origin == Origin::default_ || origin == Origin::site;
    if (key.needs != option::Need::node || !is_free) continue;
    const auto* const value = value_for(key.key, site);
    if (value == nullptr) continue;
    key.read(request, key, *value);
    request.sources[key.key] = {value->origin, value->where};
  }
  return request;
}

}  // namespace muster::request
