// Where the ranks rendezvous, and the key by which they recognise each other: taken from the environment, or
// from the user's secret if the environment has no key.
#pragma once

#include "secret/user_secret.hpp"
#include "worker/environment.hpp"
#include "worker/tcp/proof.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace muster::worker::tcp {

struct StepKey {
  Key bytes{};         // all zero: no key, so any process can prove it
  std::string remedy;  // for messages: what to do if another process has a different key
};

struct Endpoint {
  std::string host;  // a name, or a numeric address
  std::uint16_t port = 0;
  std::string source;  // for messages: "MUSTER_EXCHANGE", "MASTER_PORT + 1"
  StepKey key;
  std::string job;  // the job's name; empty if the key alone identifies the step

  // "node1:29501", "[fd00::1]:29501".
  std::string text() const;
};

// Reads the secret from a file.
using ReadSecret = std::function<secret::Key(const std::string& path)>;

// The user's secret; a ReadSecret. Throws an Error (environment) that says how to do without it.
secret::Key user_secret(const std::string& path);

// The address: the launcher's MUSTER_EXCHANGE, or MASTER_ADDR and the port after MASTER_PORT. The key: the
// launcher's MUSTER_EXCHANGE_KEY, or one derived from the user's secret. There is no key if
// MUSTER_EXCHANGE_KEY is set but empty. Throws Error (environment).
Endpoint endpoint_of(const Environment& environment, const ReadSecret& read_secret);

// The key of one of this user's steps, which the launcher derives in the same way. `context` tells steps
// apart: "MASTER_ADDR:MASTER_PORT".
Key derived_key(const secret::Key& secret, std::string_view context);

}  // namespace muster::worker::tcp
