// What a member, or a stranger, sends to the leader's agent. An input is a letter (s: a stranger's
// bytes), or the text of a hello, a zero byte, and the text of a report.
#include "core/error.hpp"
#include "launcher/agent/rendezvous/handshake.hpp"
#include "peer.hpp"
#include "target.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>

namespace {

using namespace muster;
using asio::ip::tcp;

constexpr std::size_t nodes = 8;

asio::awaitable<void> leader(tcp::socket socket, bool& admitted) {
  rendezvous::Session session(std::move(socket), fuzz::step_key);
  try {
    const auto hello = co_await rendezvous::receive_hello(session, nodes);
    fuzz::expect(hello.node < nodes, "an unknown node is admitted");
    admitted = true;
    const auto report = co_await rendezvous::receive_ready(session, "welcome", "node3");
    const auto again = rendezvous::report_from_text(to_text(report));
    fuzz::expect(again && to_text(*again) == to_text(report), "a report changes");
  } catch (const channel::Unauthenticated& refusal) {
    fuzz::expect_one_line(refusal.what());
  } catch (const std::system_error&) {
    // The peer has gone.
  }
}

asio::awaitable<void> peer(tcp::socket& socket, std::string_view input) {
  try {
    if (input.starts_with('s')) {
      co_await fuzz::send_bytes(socket, input.substr(1));
    } else {
      auto rest = input;
      const auto hello = fuzz::take_until(rest, '\0');
      const auto proof = co_await fuzz::answer_challenge(socket, "hello", hello);
      co_await channel::receive_message(socket, proof, "welcome");
      co_await channel::send_message(socket, proof, "ready", std::string(rest));
    }
  } catch (const std::exception&) {
    // The leader has refused it.
  }
  fuzz::hang_up(socket);
}

void read_input(std::string_view input) {
  asio::io_context io{1};
  tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
  tcp::socket theirs(io);
  theirs.connect(acceptor.local_endpoint());
  bool admitted = false;
  asio::co_spawn(io, leader(acceptor.accept(), admitted), asio::detached);
  asio::co_spawn(io, peer(theirs, input), asio::detached);
  io.run();
  fuzz::expect(!admitted || !input.starts_with('s'), "a stranger is admitted");
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const rendezvous::NodeReport report{.failure = "", .warnings = {"careful"}, .reached = {0, 1}};
  return {to_text(rendezvous::Hello{.node = 3, .attempt = 1}) + '\0' + to_text(report),
          to_text(rendezvous::Hello{.node = 7, .attempt = 0, .probe = true}) + '\0' + "no",
          std::string("s\0\0\0\x10", 5) + std::string(48, 'x')};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 1U << 20, .per_byte = 1024}, read_input);
}
