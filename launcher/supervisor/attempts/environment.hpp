// The environment of an attempt's srun, in addition to what the user has exported.
#pragma once

#include "launcher/channel/address.hpp"
#include "launcher/supervisor/attempts/launch.hpp"
#include "secret/key.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::attempts {

struct Identity {
  std::uint32_t number = 0;  // the attempt's
  secret::Key key{};
  channel::Address channel = {};   // empty without a supervisor
  bool beside_other_step = false;  // as in StepRequest
  bool pmix = false;               // srun starts its PMIx server
};

// Changes this process's environment, so it must not have threads at that time. `command` is srun's for this
// attempt; returns its words, which differ for a het step.
std::vector<std::string> prepare_environment(const Launch& launch, const srun::Command& command,
                                             const Identity& identity);

}  // namespace muster::attempts
