// A site's configuration file, for one test.
#pragma once

#include "core/site/config.hpp"

#include <string_view>

namespace muster::site {

inline Config site(std::string_view text) {
  return parse_config(text, "m.yaml", ConfigKind::site);
}

}  // namespace muster::site
