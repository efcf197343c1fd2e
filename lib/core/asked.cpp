#include "core/asked.hpp"

#include <array>

namespace muster {

Asked gather(std::optional<std::string_view> option, const Environment& environment,
             const Config& user, const Config& site) {
  const Option twin = option_from_environment(environment);
  const Option top = option ? parse_option(*option, Origin::option, "--distributed") : twin;
  if (top.wanted != Wanted::launch) return {top.wanted, default_settings()};
  const std::array layers{top.layer, twin.layer, variables_layer(environment), user.defaults,
                          site.defaults};
  return {Wanted::launch, merge(layers, site.policy)};
}

}  // namespace muster
