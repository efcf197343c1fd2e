// A process environment as a value, so that tests need not change their own environment.
#pragma once

#include "core/origin.hpp"

#include <functional>
#include <map>
#include <string>

namespace muster {

using Environment = std::map<std::string, std::string, std::less<>>;

// A variable that a plan sets, or that it found and keeps.
struct EnvVar {
  std::string name;
  std::string value;
  Origin origin = Origin::profile;
  bool identity = false;  // identifies the task
  bool kept = false;      // the variable was already set, and stays unchanged

  friend bool operator==(const EnvVar&, const EnvVar&) = default;
};

}  // namespace muster
