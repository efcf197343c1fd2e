// inspect=on: the variables of NCCL's Inspector, a profiler that comes with NCCL 2.28 and RCCL. Pure.
#pragma once

#include "core/env_var.hpp"
#include "core/origin.hpp"

#include <string>
#include <vector>

namespace muster::plan {

struct InspectorWish {
  Origin origin = Origin::option;  // of inspect=
  bool amd = false;                // RCCL instead of NCCL
  std::string directory = {};      // the attempt's of logs=; empty: the Inspector's own choice
};

// A release of NCCL without an interface that this plugin knows continues without it.
std::vector<EnvVar> inspector_variables(const InspectorWish& wish);

}  // namespace muster::plan
