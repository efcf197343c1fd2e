#include "launcher/agent/rendezvous/handshake.hpp"

#include "core/record/record.hpp"
#include "launcher/agent/rendezvous/words.hpp"

#include <utility>

#include <asio/buffer.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>

namespace muster::rendezvous {
namespace {

using asio::ip::tcp;
using channel::nonce_bytes;
using channel::receive_message;
using channel::send_message;

Hello hello_in(std::string_view text, std::size_t nodes) {
  const auto hello = record::read<Hello>(text);
  if (!hello || hello->node >= nodes) throw channel::Unauthenticated("hello from an unknown node");
  return *hello;
}

}  // namespace

std::string to_text(const Hello& hello) {
  return record::write(hello);
}

asio::awaitable<Hello> receive_hello(Session& session, std::size_t nodes) {
  auto& proof = session.proof;
  session.socket.set_option(tcp::no_delay(true));
  proof.mine = channel::make_nonce();
  co_await send_message(session.socket, proof, "challenge", proof.mine);
  const auto text = co_await receive_message(session.socket, proof, "hello");
  if (text.size() <= channel::nonce_bytes) throw channel::Unauthenticated("hello too short");
  proof.theirs = text.substr(0, channel::nonce_bytes);
  co_return hello_in(std::string_view(text).substr(channel::nonce_bytes), nodes);
}

asio::awaitable<NodeReport> receive_ready(Session& session, std::string welcome, std::string node) {
  co_await send_message(session.socket, session.proof, "welcome", std::move(welcome));
  const auto text =
      co_await receive_message(session.socket, session.proof, "ready", max_node_report_bytes);
  auto report = report_from_text(text);
  if (!report) report.emplace(NodeReport{.failure = unreadable_text(node)});
  co_return std::move(*report);
}

asio::awaitable<bool> send_away(Session& session, std::string welcome) {
  co_await send_message(session.socket, session.proof, "welcome", std::move(welcome));
  // The side that closes first keeps the connection in TIME_WAIT, which must not happen to the rendezvous
  // port.
  char nothing = 0;
  asio::error_code closed;
  co_await session.socket.async_read_some(asio::buffer(&nothing, 1),
                                          asio::redirect_error(asio::use_awaitable, closed));
  co_return true;
}

asio::ip::address local_address(const tcp::socket& socket) {
  const auto address = socket.local_endpoint().address();
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
}

}  // namespace muster::rendezvous
