#include "launcher/rendezvous/handshake.hpp"

#include <utility>

namespace muster::agent {
namespace {

using asio::ip::tcp;
using channel::nonce_bytes;
using channel::Proof;
using channel::receive_message;
using channel::send_message;

NodeIndex parse_hello(const std::string& hello, std::size_t nodes, Proof& proof) {
  if (hello.size() <= nonce_bytes) throw channel::Stranger("hello too short");
  proof.theirs = hello.substr(0, nonce_bytes);
  const auto node = std::stoul(hello.substr(nonce_bytes));
  if (node >= nodes) throw channel::Stranger("hello of no node");
  return static_cast<NodeIndex>(node);
}

asio::ip::address local_address(const tcp::socket& socket) {
  const auto address = socket.local_endpoint().address();
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
}

}  // namespace

asio::awaitable<NodeIndex> meet(Guest& guest, std::size_t nodes, PlacesFor places) {
  auto& [socket, proof, report, unreached] = guest;
  socket.set_option(tcp::no_delay(true));
  proof.mine = channel::make_nonce();
  co_await send_message(socket, proof, "challenge", proof.mine);
  const auto hello = co_await receive_message(socket, proof, "hello");
  const auto node = parse_hello(hello, nodes, proof);
  const auto welcome = to_text(places(local_address(socket)));
  co_await send_message(socket, proof, "welcome", welcome);
  report = report_from_text(co_await receive_message(socket, proof, "ready"));
  co_return node;
}

asio::awaitable<std::string> hear_reached(Guest& guest, std::string places) {
  co_await send_message(guest.socket, guest.proof, "go", "check " + places);
  co_return co_await receive_message(guest.socket, guest.proof, "reached");
}

void note_reached(Guest& guest, const std::string& answer) {
  auto lines = report_from_text('\n' + answer);
  guest.report.reached = std::move(lines.reached);
  guest.unreached = std::move(lines.warnings);
}

asio::awaitable<void> dismiss(Guest& guest, std::string verdict) {
  co_await send_message(guest.socket, guest.proof, "go", verdict);
}

}  // namespace muster::agent
