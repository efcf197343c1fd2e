// inspect=on: the variables of NCCL's Inspector, a profiler that comes with NCCL 2.28.3 and RCCL. Pure.
#pragma once

#include "core/env_var.hpp"
#include "core/origin.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace muster::plan {

struct InspectorWish {
  Origin origin = Origin::option;  // of inspect=
  bool amd = false;                // RCCL instead of NCCL
  std::string directory = {};      // the attempt's of logs=; empty: the Inspector's own choice
};

// A release of NCCL without an interface that this plugin knows continues without it.
std::vector<EnvVar> inspector_variables(const InspectorWish& wish);

// A warning if the Inspector cannot work; empty if it can, or if that is unknown. `told`: what the start hook
// says about the libraries of rank 0 (lib/python/start/group.py). The program may have written anything else
// there.
std::string inspector_remark(std::string_view told);

}  // namespace muster::plan
