// What an agent tells the supervisor about its ranks' TCP connections to other nodes, for slow=: sums for
// each address, so that a message does not grow with the number of connections.
#pragma once

#include "core/record/limits.hpp"

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster::slow {

inline constexpr std::size_t max_own_addresses = 64;  // of a node's ranks
inline constexpr std::size_t max_flows = 128;         // in one message

// An IPv6 address, or an IPv4 address as ::ffff:a.b.c.d.
struct Address {
  std::array<unsigned char, 16> bytes{};

  [[nodiscard]] bool is_loopback() const;

  friend auto operator<=>(const Address&, const Address&) = default;
};
template <class Io>
void fields(Io& io, Address& address) {
  io(address.bytes);
}

// What this node's ranks have sent to one address since the last message. Time for which the receiver has
// left its buffer full is not busy time: the link cannot help that.
struct Flow {
  Address to;
  std::uint64_t bytes = 0;            // that have been acknowledged
  std::chrono::microseconds busy{0};  // of all connections together
  std::chrono::microseconds most{0};  // of the busiest connection
  std::uint64_t segments = 0;         // with data
  std::uint64_t repeated = 0;         // of them, sent again
  std::uint32_t looks = 0;            // how often the agent has looked at these connections
  std::uint32_t queued = 0;           // in how many of the looks much data waited in one of them

  friend bool operator==(const Flow&, const Flow&) = default;
};
template <class Io>
void fields(Io& io, Flow& flow) {
  constexpr std::chrono::microseconds zero{0};
  constexpr record::Range together{zero, std::chrono::microseconds(std::chrono::hours(24 * 365))};
  constexpr record::Range one{zero, std::chrono::microseconds(std::chrono::hours(24))};
  constexpr record::Range count{std::uint64_t{0}, std::uint64_t{1} << 50};
  io(flow.to)(flow.bytes, count)(flow.busy, together)(flow.most, one);
  io(flow.segments, count)(flow.repeated, count)(flow.looks)(flow.queued);
}

struct Traffic {
  std::vector<Address> own = {};  // this node's, as its ranks' connections show them
  std::vector<Flow> flows = {};   // the busiest ones

  friend bool operator==(const Traffic&, const Traffic&) = default;
};
template <class Io>
void fields(Io& io, Traffic& traffic) {
  io(traffic.own, record::First{max_own_addresses})(traffic.flows, record::First{max_flows});
}

}  // namespace muster::slow
