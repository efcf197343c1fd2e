// A profile with one variable.
#pragma once

#include "core/profile/profile.hpp"

#include <string>

namespace muster::remark {

inline profile::Profile made_up_profile(const std::string& variable, const std::string& value,
                                        profile::Mode mode = profile::Mode::rank) {
  return {.name = "p",
          .summary = {},
          .mode = mode,
          .requirements = {},
          .gpus = {},
          .environment = {{variable, profile::Template::parse(value, "here")}}};
}

}  // namespace muster::remark
