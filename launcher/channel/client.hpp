// A node's end of the control channel: asks the supervisor one question at a time (see questions.hpp). Any
// failure there is a missing answer, never an error.
//
//   client -> server              a nonce, without a proof
//   server -> client   challenge  a nonce
//   client -> server   ask        "NODE NODES MILLISECONDS BYTES QUESTION"
//   client -> server   text       BYTES bytes, if there are any
//   server -> client   answer     the answer, if there is one
//
// async_client.hpp asks without waiting; async_client.cpp implements both.
#pragma once

#include "core/layout/ids.hpp"
#include "launcher/channel/address.hpp"
#include "secret/key.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace muster::channel {

struct Client {
  using Clock = std::chrono::steady_clock;

  secret::Key key{};
  Address server = {};         // without an address, no question is ever answered
  layout::NodeIndex node = 0;  // the node that asks
  std::uint32_t nodes = 0;

  [[nodiscard]] explicit operator bool() const { return bool(server); }

  // Waits for the answer until the deadline.
  [[nodiscard]] std::optional<std::string> ask(const std::string& question, const std::string& text,
                                               Clock::time_point deadline) const;
};

}  // namespace muster::channel
