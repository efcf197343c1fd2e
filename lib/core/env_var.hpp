// A variable that a plan sets, or one that was already set and that the plan keeps.
#pragma once

#include "core/origin.hpp"
#include "core/record/limits.hpp"

#include <cstddef>
#include <string>

namespace muster {

struct EnvVar {
  std::string name;
  std::string value;
  Origin origin = Origin::profile;
  bool identity = false;   // identifies the task
  bool kept = false;       // the variable was already set and stays as it was
  std::string where = {};  // shown to people: where the site's value comes from, FILE:LINE:COLUMN

  friend bool operator==(const EnvVar&, const EnvVar&) = default;
};
// The part of it that is shown.
template <class Io>
void fields(Io& io, EnvVar& variable) {
  constexpr record::Max text{std::size_t{128} << 10};  // Linux accepts no longer variable
  io(variable.name, text)(variable.value, text);
  io(variable.origin, record::Range{Origin::user, Origin::default_})(variable.where, text);
}

}  // namespace muster
