#include "core/request/site_values.hpp"

#include "core/option/key_table.hpp"

#include <array>

namespace muster::request {
namespace {

constexpr std::array node_keys{option::Key("bind"), option::Key("memory"), option::Key("smt"),
                               option::Key("gpus"), option::Key("network")};

const option::Setting* value_for(option::Key key, const site::Config& site) {
  const auto fixed = site.policy.fix.find(key);
  if (fixed != site.policy.fix.end()) return &fixed->second;
  const auto set = site.defaults.values.find(key);
  return set == site.defaults.values.end() ? nullptr : &set->second;
}

}  // namespace

Request with_site_values(Request request, const site::Config& site) {
  for (const auto key : node_keys) {
    const auto origin = source(request, key).origin;
    if (origin != Origin::default_ && origin != Origin::site) continue;
    const auto* const value = value_for(key, site);
    if (value == nullptr) continue;
    const auto& entry = info(key);
    entry.read(request, entry, *value);
    request.sources[key] = {value->origin, value->where};
  }
  return request;
}

}  // namespace muster::request
