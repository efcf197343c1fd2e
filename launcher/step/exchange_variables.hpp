// What the worker library's ranks need to meet over TCP where there is no PMIx: a place on rank 0's
// node, and a key. Both go into the tasks' environment and nowhere else.
#pragma once

#include "core/rendezvous/ports.hpp"
#include "launcher/channel/step_key.hpp"
#include "launcher/os/user_secret.hpp"
#include "wire/messages.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace muster::step {

struct ExchangePlace {
  std::string address;        // numeric
  rendezvous::Port port = 0;  // 0: there is none
};

// Derived from the step's key, which every agent has: nothing more has to travel, and what a task
// knows opens no door of the agents. Empty where the step has none.
std::string exchange_key_of_step(const channel::StepKey& key, const std::string& run_id);

// Where nobody made a key for the step: the user's secret, and what tells this run from others of
// the same user. The worker library derives its own the same way.
std::string exchange_key_of_user(const os::UserSecret& secret, std::string_view context);

// Empty where there is no place; without a key where that is empty.
std::vector<wire::Assignment> exchange_variables(const ExchangePlace& place,
                                                 const std::string& key);

}  // namespace muster::step
