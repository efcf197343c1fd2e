// One client of the store: what it has sent so far, and what is still to be sent to it.
#pragma once

#include "core/store/reader.hpp"
#include "core/store/store.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <asio/ip/address.hpp>
#include <asio/ip/tcp.hpp>

namespace muster::store {

class Connection {
 public:
  // The socket does not block from now on.
  Connection(asio::ip::tcp::socket socket, const Limits& limits);

  // How much it has read, at most one buffer; 0 if the client has nothing more to say for now. No value
  // once the client has gone.
  std::optional<std::size_t> receive(std::span<char> buffer);

  // Sends what the client takes at once and keeps the rest. False once the client has gone.
  bool send(std::string_view bytes);

  Reader& reader() { return reader_; }
  asio::ip::tcp::socket& socket() { return socket_; }
  [[nodiscard]] const asio::ip::address& peer() const { return peer_; }
  [[nodiscard]] bool has_spoken() const { return has_spoken_; }
  [[nodiscard]] bool has_rest() const { return !rest_.empty(); }
  [[nodiscard]] std::size_t bytes() const { return reader_.size() + rest_.size(); }

 private:
  asio::ip::tcp::socket socket_;
  asio::ip::address peer_;
  Reader reader_;
  std::string rest_;
  bool has_spoken_ = false;
};

}  // namespace muster::store
