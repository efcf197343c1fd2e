// Where the ranks meet, and the key by which they recognise each other: decided from the
// environment, and from the user's secret where the environment has no key.
#pragma once

#include "worker/environment.hpp"
#include "worker/tcp/proof.hpp"
#include "worker/user_secret.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace muster::worker::tcp {

struct StepKey {
  Key bytes{};         // all zero: no key, which everybody can prove
  std::string remedy;  // for messages: what to do where another process has another key
};

struct Endpoint {
  std::string host;  // a name, or a numeric address
  std::uint16_t port = 0;
  std::string source;  // for messages: "MUSTER_EXCHANGE", "MASTER_PORT + 1"
  StepKey key;
  std::string job;  // which job this is; empty where the key alone identifies the step

  // "node1:29501", "[fd00::1]:29501".
  std::string text() const;
};

// The secret in a file: user_secret() but in tests.
using ReadSecret = std::function<UserSecret(const std::string& path)>;

// The place: the launcher's MUSTER_EXCHANGE; else MASTER_ADDR and the port after MASTER_PORT. The
// key: the launcher's MUSTER_EXCHANGE_KEY; none where that is set but empty; else one that is
// derived from the user's secret. Throws Error (environment).
Endpoint endpoint_of(const Environment& environment, const ReadSecret& read_secret);

// The key of a step of this user's. `context` tells steps apart: "MASTER_ADDR:MASTER_PORT".
Key derived_key(const UserSecret& secret, std::string_view context);

}  // namespace muster::worker::tcp
