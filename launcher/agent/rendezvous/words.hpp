// What the leader, the relays and the members of rendezvous.hpp tell each other after the hello.
#pragma once

#include "core/record/record.hpp"
#include "launcher/agent/rendezvous/addresses.hpp"
#include "launcher/agent/rendezvous/node_report.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace muster::rendezvous {

// The leader's welcome: where the ranks may meet, and what the member does until they do.
struct Stay {};      // waits in this session
struct Relaying {};  // listens for other members as well
struct Elsewhere {   // hangs up and has the same session with a relay
  Offer relay;
};
template <class Io>
void fields(Io& io, Elsewhere& elsewhere) {
  io(elsewhere.relay);
}
struct Welcome {
  Offer offer;
  std::variant<Stay, Relaying, Elsewhere> next = {};
};
template <class Io>
void fields(Io& io, Welcome& welcome) {
  io.named("welcome")(welcome.offer)(welcome.next);
}

// Go: the last message, or an order before it.
struct Meet {
  std::string address;
  Port exchange = 0;               // the worker library's; 0: none
  bool replaces_exported = false;  // the address counts in place of one that the user exported
};
template <class Io>
void fields(Io& io, Meet& meet) {
  io(meet.address, record::Max{64})(meet.exchange)(meet.replaces_exported);
}
struct Stop {
  std::string why;
};
template <class Io>
void fields(Io& io, Stop& stop) {
  io(stop.why, record::Line{3584}).require(!stop.why.empty());
}
struct Check {  // try all of these addresses, and answer with those that can be reached
  Offer offer;
};
template <class Io>
void fields(Io& io, Check& check) {
  io(check.offer);
}
using Go = std::variant<Meet, Stop, Check>;

// A relay's report to the leader.
struct Listening {
  std::optional<Offer> offer;  // nothing: it cannot listen
};
template <class Io>
void fields(Io& io, Listening& listening) {
  io(listening.offer);
}
struct Joined {
  NodeReports reports;
};
template <class Io>
void fields(Io& io, Joined& joined) {
  io(joined.reports, record::Max{65536}, record::Any{});
}
struct Reached {  // by all of its members, in answer to a check
  NodeReport report;
};
template <class Io>
void fields(Io& io, Reached& reached) {
  io(reached.report);
}
using RelayReport = std::variant<Listening, Joined, Reached>;

std::string to_text(const Welcome& welcome);
std::string to_text(const Go& go);
std::string to_text(const RelayReport& report);

// Each of these throws Error for a text that to_text() cannot have written. `node`: who sent it.
Welcome welcome_from(std::string_view text, const std::string& node);
Go go_from(std::string_view text, const std::string& node);
RelayReport relay_report_from(std::string_view text, const std::string& node);

// The line about such a text.
std::string unreadable_text(const std::string& node);

}  // namespace muster::rendezvous
