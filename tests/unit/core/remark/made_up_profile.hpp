// Profiles with one variable.
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

inline const auto ranks = made_up_profile("RANK", "{rank}", profile::Mode::rank);
inline const auto agents = made_up_profile("RANK", "{node_rank}", profile::Mode::agent);

}  // namespace muster::remark
