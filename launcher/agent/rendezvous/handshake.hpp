// What the leader, or a relay, sends to one member and receives from it, in the order of
// rendezvous.hpp.
#pragma once

#include "core/layout/ids.hpp"
#include "launcher/agent/rendezvous/node_report.hpp"
#include "launcher/channel/message.hpp"

#include <chrono>
#include <optional>
#include <string>

#include <asio/awaitable.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

namespace muster::rendezvous {

inline constexpr std::chrono::seconds message_timeout{5};  // for a member that has connected

// A member's connection.
struct Session {
  Session(asio::ip::tcp::socket connection, const secret::Key& key)
      : socket(std::move(connection)),
        proof{.key = key, .mine = {}, .theirs = {}},
        answered(socket.get_executor()) {}

  asio::ip::tcp::socket socket;
  channel::Proof proof;
  bool is_relay = false;                  // it also reports on behalf of other members
  std::optional<NodeReport> answer = {};  // to a check
  asio::steady_timer answered;            // cancelled when a relay has answered
};

struct Hello {
  layout::NodeIndex node = 0;
  unsigned attempt = 0;  // how many relays to which this node was sent have failed
  bool probe = false;    // the member only checks whether this is the leader
};
template <class Io>
void fields(Io& io, Hello& hello) {
  io(hello.node)(hello.attempt)(hello.probe);
}

std::string to_text(const Hello& hello);

// Each of these throws if the member is gone.
//
// The challenge and its answer. Throws if the peer is not a member of a step with this many nodes.
asio::awaitable<Hello> receive_hello(Session& session, std::size_t nodes);

// The welcome, and what the member reports. A report that cannot be read is the failure of that node: the
// member has proved that it belongs to the step.
asio::awaitable<NodeReport> receive_ready(Session& session, std::string welcome, std::string node);

// The welcome for a member that is sent elsewhere; the member hangs up first.
asio::awaitable<bool> send_away(Session& session, std::string welcome);

// The address of this node that the member has used.
asio::ip::address local_address(const asio::ip::tcp::socket& socket);

}  // namespace muster::rendezvous
