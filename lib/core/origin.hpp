// Where a value came from. The words are part of the versioned JSON of `muster plan`.
#pragma once

#include <cstdint>
#include <string_view>

namespace muster {

enum class Origin : std::uint8_t {
  user,        // a variable that the user exported, MUSTER_*, or the user's file
  option,      // --distributed=
  site,        // the site's muster.yaml
  slurm,       // facts about the step
  binding,     // computed by core/binding
  rendezvous,  // computed by core/rendezvous
  profile,     // a constant in the profile
  default_,    // built in
};

constexpr std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::user:
      return "user";
    case Origin::option:
      return "option";
    case Origin::site:
      return "site";
    case Origin::slurm:
      return "slurm";
    case Origin::binding:
      return "binding";
    case Origin::rendezvous:
      return "rendezvous";
    case Origin::profile:
      return "profile";
    case Origin::default_:
      return "default";
  }
  return "default";
}

}  // namespace muster
