// Where the worker library's ranks rendezvous under `muster exec`, and their key. Neither can be sent to the
// other nodes: every node uses the first port that the agents would try, and derives the key from the user's
// secret.
#pragma once

#include "core/environment.hpp"
#include "core/rendezvous/endpoint.hpp"
#include "wire/messages.hpp"

#include <string>
#include <vector>

namespace muster::profile {
struct Profile;
}

namespace muster::request {
struct Request;
}

namespace muster::rendezvous {
struct StepName;
}

namespace muster::site {
struct Config;
}

namespace muster::exec {

// Never `taken`, which is the port of the ranks' rendezvous. 0 if there is no port: the tasks are not ranks,
// the user has given an address, or no other port is left.
rendezvous::Port exchange_port(const Environment& environment, const request::Request& request,
                               const site::Config& config, const profile::Profile& profile,
                               const rendezvous::StepName& step, rendezvous::Port taken);

struct Exchange {
  std::vector<wire::Assignment> variables;  // for every task
  std::string warning;                      // why there is no key; empty if there is one
};

// `address`: rank 0's node. `port` may be 0. A key that the user exported is kept.
Exchange exchange(const Environment& environment, const std::string& address, rendezvous::Port port,
                  const std::string& run_id);

}  // namespace muster::exec
