#include "core/request/precedence.hpp"

#include <array>

namespace muster {
namespace {

std::optional<Option> parse_given(std::optional<std::string_view> option) {
  if (!option) return std::nullopt;
  return parse_option(*option, Origin::option, "--distributed");
}

}  // namespace

Asked gather(std::optional<std::string_view> option, const Environment& environment,
             const Config& user, const Config& site) {
  const std::optional<Option> given = parse_given(option);
  // Said first: a broken twin must not stand in the way of --distributed=off.
  if (given && given->wanted != Wanted::launch) return {given->wanted, default_settings()};
  const Option twin = option_from_environment(environment);
  if (!given && twin.wanted != Wanted::launch) return {twin.wanted, default_settings()};
  const Layer top = given ? given->layer : Layer{};
  const std::array layers{top, twin.layer, variables_layer(environment), user.defaults,
                          site.defaults};
  return {Wanted::launch, merge(layers, site.policy)};
}

}  // namespace muster
