#include "core/request/for_job.hpp"

#include "core/option/bounds.hpp"
#include "core/option/conversion.hpp"
#include "core/option/key_table.hpp"
#include "core/option/merge.hpp"
#include "core/option/policy.hpp"
#include "core/request/request.hpp"
#include "core/srun/line.hpp"

#include <algorithm>

namespace muster::request {
namespace {

bool is_allowed(const option::KeyInfo& key, const option::Setting& setting,
                const option::Policy& policy) {
  const auto is_forbidden = [&](const option::Forbidden& forbidden) {
    if (forbidden.key != key.key) return false;
    return forbidden.value ? names_value(key.key, setting, forbidden)
                           : setting.value != key.default_text;
  };
  return !policy.fix.contains(key.key) && std::ranges::none_of(policy.forbid, is_forbidden) &&
         !broken_bound(key.key, setting, policy);
}

}  // namespace

bool is_on_line(const Request& request, option::Key key, const srun::Command& command) {
  return source(request, key).origin == Origin::option && read_step(command).has("distributed");
}

bool set_for_step(Request& request, option::Key key, const std::string& value,
                  const std::string& where, const option::Policy& policy) {
  const option::Setting setting{value, Origin::slurm, where};
  const auto& about = info(key);
  if (value_of(request, key) == value || !is_allowed(about, setting, policy)) return false;
  about.read(request, about, setting);
  request.sources[key] = {setting.origin, where};
  return true;
}

}  // namespace muster::request
