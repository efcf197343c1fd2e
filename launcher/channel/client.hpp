// A node's end of the control channel: asks the supervisor one question at a time (board.hpp has
// the questions). Whatever goes wrong there is a missing answer, never an error.
//
//   server -> caller   challenge  a nonce
//   caller -> server   ask        a nonce, "NODE NODES MILLISECONDS BYTES QUESTION"
//   caller -> server   text       BYTES bytes, where there are any
//   server -> caller   answer     the answer, when there is one
#pragma once

#include "core/layout/layout.hpp"
#include "launcher/channel/address.hpp"
#include "launcher/channel/step_key.hpp"

#include <chrono>
#include <optional>
#include <string>

#include <asio/awaitable.hpp>

namespace muster::channel {

class Caller {
 public:
  using Clock = std::chrono::steady_clock;

  // Without a place every answer is missing.
  Caller(const StepKey& key, Place place, NodeIndex node, std::uint32_t nodes)
      : key_(key), place_(std::move(place)), node_(node), nodes_(nodes) {}

  [[nodiscard]] explicit operator bool() const { return bool(place_); }

  // Waits for the answer until the deadline.
  [[nodiscard]] std::optional<std::string> ask(const std::string& question, const std::string& text,
                                               Clock::time_point deadline) const;

  // The same for those who have other things to do meanwhile.
  [[nodiscard]] asio::awaitable<std::optional<std::string>> async_ask(
      std::string question, std::string text, Clock::time_point deadline) const;

 private:
  [[nodiscard]] asio::awaitable<std::optional<std::string>> converse(
      std::string question, std::string text, Clock::time_point deadline) const;

  StepKey key_;
  Place place_;
  NodeIndex node_;
  std::uint32_t nodes_;
};

}  // namespace muster::channel
