// What the worker library's ranks need to rendezvous over TCP if there is no PMIx: an address on rank 0's
// node, and a key. Both are put only into the tasks' environment.
#pragma once

#include "core/rendezvous/endpoint.hpp"
#include "secret/key.hpp"
#include "wire/messages.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace muster::step {

struct ExchangePlace {
  std::string address;        // numeric
  rendezvous::Port port = 0;  // 0: none
};

// Derived from the step's key, which every agent has, so nothing more has to be sent. A task's key gives no
// access to the agents. Empty if the step has no key.
std::string exchange_key_of_step(const secret::Key& key, const std::string& run_id);

// For a step without a key: derived from the user's secret and from what distinguishes this run from the
// user's other runs. The worker library derives its own key in the same way.
std::string exchange_key_of_user(const secret::Key& secret, std::string_view context);

// Empty if there is no address. Contains no key if the key is empty.
std::vector<wire::Assignment> exchange_variables(const ExchangePlace& place,
                                                 const std::string& key);

}  // namespace muster::step
