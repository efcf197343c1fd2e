#include "launcher/agent/store/connection.hpp"

#include <system_error>
#include <utility>

#include <asio/buffer.hpp>
#include <fcntl.h>

namespace muster::store {
namespace {

asio::ip::address peer_of(const asio::ip::tcp::socket& socket) {
  std::error_code error;
  auto address = socket.remote_endpoint(error).address();
  if (error || !address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
}

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, const Limits& limits)
    : socket_(std::move(socket)), peer_(peer_of(socket_)), reader_(limits) {
  fcntl(socket_.native_handle(), F_SETFD, FD_CLOEXEC);
  std::error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
}

std::optional<std::size_t> Connection::receive(std::span<char> buffer) {
  std::error_code error;
  const auto size = socket_.read_some(asio::buffer(buffer.data(), buffer.size()), error);
  if (error == asio::error::would_block) return 0;
  if (error) return std::nullopt;
  has_spoken_ = true;
  reader_.add({buffer.data(), size});
  return size;
}

bool Connection::send(std::string_view bytes) {
  rest_ += bytes;
  std::size_t sent = 0;
  std::error_code error;
  while (!error && sent < rest_.size())
    sent += socket_.write_some(asio::buffer(rest_.data() + sent, rest_.size() - sent), error);
  rest_.erase(0, sent);
  if (rest_.empty()) rest_.shrink_to_fit();
  return !error || error == asio::error::would_block;
}

}  // namespace muster::store
