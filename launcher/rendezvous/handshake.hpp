// What the leader, or a relay, says to one member and hears from it, in the order of rendezvous.hpp.
#pragma once

#include "core/layout/layout.hpp"
#include "launcher/channel/message.hpp"
#include "launcher/rendezvous/node_report.hpp"

#include <optional>
#include <string>

#include <asio/awaitable.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

namespace muster::rendezvous {

// A member's connection.
struct Session {
  Session(asio::ip::tcp::socket connection, const channel::StepKey& key)
      : socket(std::move(connection)),
        proof{.key = key, .mine = {}, .theirs = {}},
        answered(socket.get_executor()) {}

  asio::ip::tcp::socket socket;
  channel::Proof proof;
  bool is_relay = false;                   // it reports for others, too
  std::optional<std::string> answer = {};  // to "check"
  asio::steady_timer answered;             // cancelled when it has come, from a relay
};

struct Hello {
  layout::NodeIndex node = 0;
  unsigned attempt = 0;  // how often this node has been sent to a relay in vain
  bool probe = false;    // it only wants to know whether this is the leader
};

std::string to_text(const Hello& hello);

// Each of these throws where the member has gone.
//
// The challenge and what answers it. Throws for one that is no member of a step with so many nodes.
asio::awaitable<Hello> receive_hello(Session& session, std::size_t nodes);

// The welcome, and what the member reports.
asio::awaitable<NodeReport> receive_ready(Session& session, std::string welcome);

// A welcome for one that goes on elsewhere; it hangs up first.
asio::awaitable<bool> send_away(Session& session, std::string welcome);

// The address of this node at which the member has come.
asio::ip::address local_address(const asio::ip::tcp::socket& socket);

}  // namespace muster::rendezvous
