// A session's socket: input that is not yet a complete message, output that is not yet sent, and the seal for
// each direction.
#pragma once

#include "launcher/channel/message.hpp"
#include "launcher/channel/session.hpp"
#include "secret/seal.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <asio/ip/tcp.hpp>

namespace muster::channel {

enum class Side : std::uint8_t { supervisor, node };

class Session::Stream : public std::enable_shared_from_this<Stream> {
 public:
  // Keeps `place` for as long as the socket.
  Stream(asio::ip::tcp::socket socket, const Proof& proof, Side side,
         std::shared_ptr<void> place = {});

  void receive(SessionEvents events);
  void send(const std::vector<std::string_view>& texts);
  void close();

 private:
  void read();
  void take(std::error_code error, std::size_t bytes);
  bool take_messages();
  bool take_message(std::string_view text, std::string_view mac);
  void keep_rest(std::size_t begin, std::size_t room);
  void write(std::string_view bytes);
  void write_rest();
  void give_up(SessionEnd reason);
  void end(SessionEnd reason);

  asio::ip::tcp::socket socket_;
  secret::Seal incoming_;
  secret::Seal outgoing_;
  std::shared_ptr<void> place_;
  std::shared_ptr<SessionEvents> events_;  // null: closed
  std::string input_;
  std::size_t filled_ = 0;
  std::string output_;   // is waiting
  std::string writing_;  // the text that is being written
  std::optional<SessionEnd> failure_;
};

std::unique_ptr<Session> make_session(asio::ip::tcp::socket socket, const Proof& proof, Side side,
                                      std::shared_ptr<void> place = {});

}  // namespace muster::channel
