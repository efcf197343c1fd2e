// Rank 0 admits the ranks of the step and turns every other connection away.
//
// A connection that has not proved the key costs a socket and some bytes for a limited time. There are at
// most `max_unauthenticated` of these. When all are in use, an old one is dropped for the next: the oldest
// that has sent nothing, or otherwise the oldest from the address with the most connections.
#pragma once

#include "worker/tcp/address_counts.hpp"
#include "worker/tcp/connections.hpp"

#include <chrono>
#include <list>
#include <string>

namespace muster::worker::tcp {

inline constexpr std::size_t max_unauthenticated = 256;
inline constexpr std::chrono::milliseconds silent_timeout{10'000};
// A connection that has greeted speaks the protocol, and may be a rank on a slow node.
inline constexpr std::chrono::milliseconds greeted_timeout{60'000};
// The age from which a connection may be dropped to make room.
inline constexpr std::chrono::milliseconds silent_eviction_age{2000};
inline constexpr std::chrono::milliseconds greeted_eviction_age{5000};

class Admission {
 public:
  using Time = Connection::Time;

  // Listens from now on. `port_source` says in messages where the port comes from. Throws Error.
  Admission(const Terms& terms, Connections& connections, std::uint16_t port,
            const std::string& port_source);

  bool is_listener(int fd) const { return listener_ && fd == listener_.fd(); }
  // Accepts waiting connections, a limited number at a time.
  void accept_waiting();

  // Drops connections that took too long, and listens again after a rest.
  void maintain(Time now);
  // Whether maintain() will have something to do soon.
  bool needs_maintenance() const { return !unauthenticated_.empty() || resting(); }

  // Answers a greeting. Throws Garbled.
  void greet(Connection& connection, View reply);
  // The connection has proved the key and says which rank it is. Throws Error, which begins with `what`, if
  // that cannot be true; the peer still counts as a rank then, and should be sent that error.
  void admit(Connection& connection, Introduction introduction, const std::string& what);
  // The connection is no longer unauthenticated, whichever rank it belongs to.
  void authenticated(const Connection& connection);
  // Drops a connection that did not become a rank.
  void turn_away(Connection& connection, const std::string& why);

  // Stops listening and drops the connections that have not proved the key.
  void close();

  // For a message about missing ranks: which connections were turned away, and which have not yet proved the
  // key; empty if there are none.
  std::string strangers() const;

 private:
  bool resting() const { return rests_until_ != Time{}; }
  void rest();
  bool make_room();
  Connection* evictable(Time now);
  std::string turned_away() const;
  std::string unproved() const;

  const Terms& terms_;
  Connections& connections_;
  Socket listener_;
  const int lowest_number_;                 // for the descriptor of a connection's socket
  Time rests_until_{};                      // set if there is no room or no descriptor
  std::list<Connection*> unauthenticated_;  // oldest first
  AddressCounts turned_away_;
  std::string why_turned_away_;  // the last
  bool key_differs_ = false;     // a peer knew the protocol, but had a different key
};

}  // namespace muster::worker::tcp
