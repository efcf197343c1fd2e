// What the worker library's ranks need to meet over TCP where there is no PMIx: a place on rank 0's
// node, and a key. Both go into the tasks' environment and nowhere else.
#pragma once

#include "core/rendezvous/ports.hpp"
#include "launcher/step/attempt.hpp"
#include "wire/messages.hpp"

#include <string>
#include <vector>

namespace muster::agent {

struct ExchangePlace {
  std::string address;  // numeric
  Port port = 0;
};

// The tasks' key is derived from the step's, which every agent has: nothing more has to travel, and
// what a task knows opens no door of the agents. No key where the step has none.
std::vector<wire::Assignment> exchange_variables(const ExchangePlace& place, const StepKey& key,
                                                 const std::string& run_id);

}  // namespace muster::agent
