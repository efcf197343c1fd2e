#include "core/request/precedence.hpp"

#include "core/option/merge.hpp"

#include <array>

namespace muster {
namespace {

std::optional<Option> parse_given(std::optional<std::string_view> option) {
  if (!option) return std::nullopt;
  return parse_option(*option, Origin::option, "--distributed");
}

}  // namespace

MergedSettings merge_sources(std::optional<std::string_view> option, const Environment& environment,
                             const Config& user, const Config& site) {
  const std::optional<Option> given = parse_given(option);
  // First: a broken MUSTER_DISTRIBUTED must not stand in the way of --distributed=off.
  if (given && given->action != Action::launch) return {given->action, default_settings()};
  const Option exported = option_from_environment(environment);
  if (!given && exported.action != Action::launch) return {exported.action, default_settings()};
  const Layer top = given ? given->layer : Layer{};
  const std::array layers{top, exported.layer, variables_layer(environment), user.defaults,
                          site.defaults};
  return {Action::launch, merge(layers, site.policy)};
}

}  // namespace muster
