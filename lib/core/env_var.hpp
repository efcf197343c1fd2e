// A variable that a plan sets, or that it found and keeps.
#pragma once

#include "core/origin.hpp"

#include <string>

namespace muster {

struct EnvVar {
  std::string name;
  std::string value;
  Origin origin = Origin::profile;
  bool identity = false;   // identifies the task
  bool kept = false;       // the variable was already set, and stays unchanged
  std::string where = {};  // for people: the place of a site's value, FILE:LINE:COLUMN

  friend bool operator==(const EnvVar&, const EnvVar&) = default;
};

}  // namespace muster
