// The other end of a connection that speaks the channel protocol: a stranger that sends bytes, or a member of
// the step, with the key, that sends hostile texts.
#pragma once

#include "launcher/channel/message.hpp"

#include <string>
#include <string_view>

#include <asio/buffer.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

namespace muster::fuzz {

inline constexpr secret::Key step_key{7, 8, 9};

// Hangs up without TIME_WAIT: one port for each input would leave none for other programs.
inline void hang_up(asio::ip::tcp::socket& socket) {
  asio::error_code ignored;
  socket.set_option(asio::socket_base::linger(true, 0), ignored);
  socket.close(ignored);
}

inline asio::awaitable<void> send_bytes(asio::ip::tcp::socket& socket, std::string_view bytes) {
  co_await asio::async_write(socket, asio::buffer(bytes.data(), bytes.size()), asio::use_awaitable);
}

// Asks the supervisor as a node does: a nonce, the challenge, and the text.
inline asio::awaitable<channel::Proof> ask_supervisor(asio::ip::tcp::socket& socket,
                                                      std::string_view text) {
  socket.set_option(
      asio::ip::tcp::no_delay(true));  // as a node does: two messages are sent in a row
  channel::Proof proof{.key = step_key, .mine = channel::make_nonce(), .theirs = {}};
  co_await send_bytes(socket, proof.mine);
  proof.theirs = co_await channel::receive_message(socket, proof, "challenge");
  co_await channel::send_message(socket, proof, "ask", std::string(text));
  co_return proof;
}

// Receives the challenge and answers it: a nonce, and the text.
inline asio::awaitable<channel::Proof> answer_challenge(asio::ip::tcp::socket& socket,
                                                        std::string_view name,
                                                        std::string_view text) {
  channel::Proof proof{.key = step_key, .mine = {}, .theirs = {}};
  proof.theirs = co_await channel::receive_message(socket, proof, "challenge");
  proof.mine = channel::make_nonce();
  co_await channel::send_message(socket, proof, name, proof.mine + std::string(text));
  co_return proof;
}

}  // namespace muster::fuzz
