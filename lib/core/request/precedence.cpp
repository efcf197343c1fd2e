#include "core/request/precedence.hpp"

#include "core/option/merge.hpp"

#include <array>

namespace muster::request {
namespace {

std::optional<option::Option> parse_given(std::optional<std::string_view> option) {
  if (!option) return std::nullopt;
  return option::parse_option(*option, Origin::option, "--distributed");
}

}  // namespace

MergedSettings merge_sources(std::optional<std::string_view> option, const Environment& environment,
                             const site::Config& user, const site::Config& site) {
  const std::optional<option::Option> given = parse_given(option);
  // Checked first: a broken MUSTER_DISTRIBUTED must not prevent --distributed=off.
  if (given && given->action != option::Action::launch)
    return {given->action, option::default_settings()};
  const option::Option exported = option::option_from_environment(environment);
  if (!given && exported.action != option::Action::launch)
    return {exported.action, option::default_settings()};
  const option::Layer top = given ? given->layer : option::Layer{};
  const std::array layers{top, exported.layer, option::variables_layer(environment), user.defaults,
                          site.defaults};
  return {option::Action::launch, merge(layers, site.policy)};
}

}  // namespace muster::request
