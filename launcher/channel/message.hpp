// A message that proves that its sender belongs to the step: the agents' gathering and the control
// channel are made of these.
//
// On the wire: length (4 bytes, big endian), text, 32 bytes of HMAC-SHA-512-256 over the message's
// name, the nonce of the receiver and the text, so that nothing recorded can be said again.
#pragma once

#include "launcher/channel/step_key.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>
#include <asio/ip/tcp.hpp>

namespace muster::channel {

inline constexpr std::size_t max_message_bytes = 4096;
inline constexpr std::size_t max_answer_bytes = std::size_t{16} << 20;  // of all nodes' texts
inline constexpr std::size_t nonce_bytes = 16;

std::string make_nonce();

// Whoever is at the other end does not belong to this step.
class Unauthenticated : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One end's idea of a conversation: what to prove with, and whose nonces.
struct Proof {
  StepKey key{};
  std::string mine;    // nonce: what I receive must cover it
  std::string theirs;  // nonce: what I send must cover it
};

// A text of more than `max_bytes` is cut there.
asio::awaitable<void> send_message(asio::ip::tcp::socket& socket, const Proof& proof,
                                   std::string_view name, std::string text,
                                   std::size_t max_bytes = max_message_bytes);

// Throws Unauthenticated for a message that is too long or proves nothing, std::system_error when the
// connection breaks.
asio::awaitable<std::string> receive_message(asio::ip::tcp::socket& socket, const Proof& proof,
                                             std::string_view name,
                                             std::size_t max_bytes = max_message_bytes);

// Takes a message off the connection that nobody wants to read; `bytes` is the length of its text.
asio::awaitable<void> skip_message(asio::ip::tcp::socket& socket, std::size_t bytes);

}  // namespace muster::channel
