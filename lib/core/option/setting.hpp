// A setting as text, with its source.
#pragma once

#include "core/origin.hpp"

#include <string>

namespace muster::option {

struct Setting {
  std::string value;
  Origin origin = Origin::default_;
  std::string where;  // "--distributed", "MUSTER_BIND", "/etc/muster/muster.yaml:12:9", "default"

  friend bool operator==(const Setting&, const Setting&) = default;
};

}  // namespace muster::option
