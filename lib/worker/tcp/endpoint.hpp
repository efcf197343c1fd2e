// Where the ranks meet, and what they have to show there: decided from the environment alone.
#pragma once

#include "worker/environment.hpp"
#include "worker/tcp/proof.hpp"

#include <cstdint>
#include <string>

namespace muster::worker::tcp {

struct Meeting {
  std::string host;  // a name, or a numeric address
  std::uint16_t port = 0;
  std::string source;  // for messages: "MUSTER_EXCHANGE", "MASTER_PORT + 1"
  Key key{};
  std::string job;  // empty where there is a key

  // "node1:29501", "[fd00::1]:29501".
  std::string place() const;
};

// MUSTER_EXCHANGE and MUSTER_EXCHANGE_KEY of the launcher's; else MASTER_ADDR, the port after
// MASTER_PORT, and no key. Throws Error (environment).
Meeting meeting_of(const Environment& environment);

}  // namespace muster::worker::tcp
