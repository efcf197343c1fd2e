// A message that proves that its sender belongs to the step. The agents' rendezvous and the control
// channel consist of these messages.
//
// On the wire: length (4 bytes, big endian), text, and a MAC (32 bytes) over the message's name, the
// receiver's nonce and the text. The nonce prevents replays.
#pragma once

#include "secret/key.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>
#include <asio/ip/tcp.hpp>

namespace muster::channel {

inline constexpr std::size_t max_message_bytes = 4096;
// For the texts of all nodes together.
inline constexpr std::size_t max_answer_bytes = std::size_t{16} << 20;
inline constexpr std::size_t nonce_bytes = 16;

// Throws secret::Error if the system has no source of random numbers.
std::string make_nonce();

// The other end does not belong to this step.
class Unauthenticated : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One end's state of a session: the key that proves membership, and both nonces.
struct Proof {
  secret::Key key{};
  std::string mine;    // nonce: must be covered by what this end receives
  std::string theirs;  // nonce: must be covered by what this end sends
};

// Truncates a longer text to `max_bytes`.
asio::awaitable<void> send_message(asio::ip::tcp::socket& socket, const Proof& proof,
                                   std::string_view name, std::string text,
                                   std::size_t max_bytes = max_message_bytes);

// Throws Unauthenticated if a message is too long or its proof fails, std::system_error if the
// connection breaks.
asio::awaitable<std::string> receive_message(asio::ip::tcp::socket& socket, const Proof& proof,
                                             std::string_view name,
                                             std::size_t max_bytes = max_message_bytes);

// Reads and discards a message that is not needed; `bytes` is the length of its text.
asio::awaitable<void> skip_message(asio::ip::tcp::socket& socket, std::size_t bytes);

}  // namespace muster::channel
