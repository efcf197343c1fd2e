// The messages by which the agents of one step find each other, each proved by the step's key.
//
//   host -> guest   challenge  a nonce
//   guest -> host   hello      its node index, its nonce
//   host -> guest   welcome    "ADDRESS PORT" where the ranks meet
//   guest -> host   ready      "" or why this node cannot go on; then its warnings, a line each
//   host -> guest   go         "" or why the step cannot go on
//
// On the wire: length (4 bytes, big endian), text, 32 bytes of HMAC-SHA-512-256 over the message's
// name, the nonce of the receiver and the text, so that nothing recorded can be said again.
#pragma once

#include "attempt.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>
#include <asio/ip/tcp.hpp>

namespace muster::agent {

inline constexpr std::size_t max_message_bytes = 4096;
inline constexpr std::size_t nonce_bytes = 16;

std::string make_nonce();

// Whoever is at the other end does not belong to this step.
class Stranger : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One end's idea of a conversation: what to prove with, and whose nonces.
struct Proof {
  StepKey key{};
  std::string mine;    // nonce: what I receive must cover it
  std::string theirs;  // nonce: what I send must cover it
};

asio::awaitable<void> send_message(asio::ip::tcp::socket& socket, const Proof& proof,
                                   std::string_view name, std::string text);

// Throws Stranger for a message that is too long or proves nothing, std::system_error when the
// connection breaks.
asio::awaitable<std::string> receive_message(asio::ip::tcp::socket& socket, const Proof& proof,
                                             std::string_view name);

}  // namespace muster::agent
