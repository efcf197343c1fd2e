// What the supervisor tells a node in a preflight, as the text of a session's messages. Pure.
#pragma once

#include "core/record/limits.hpp"
#include "launcher/channel/address.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::preflight {

// How long the parts of one test may take. Small tests are meant for the time between two attempts.
struct Bounds {
  std::chrono::milliseconds meet{700};  // for connecting and proving the key
  // Back and forth; takes a tenth of this if no packet is lost.
  std::chrono::milliseconds messages{600};
  std::uint32_t message_count = 200;
  std::chrono::milliseconds stream{150};  // in each direction
  std::size_t stream_bytes = std::size_t{64} << 20;

  friend bool operator==(const Bounds&, const Bounds&) = default;
};

// Counted from the end of its sender's time.
inline constexpr std::chrono::milliseconds stream_timeout{500};

Bounds full_bounds();
Bounds small_bounds();
std::chrono::milliseconds max_time(const Bounds& bounds);

// A port, and numeric addresses.
bool is_place(const channel::Address& address);

template <class Io, class Order>
void order_fields(Io& io, Order& order) {
  io(order.number)(order.connects)(order.small)(order.partner);
  io.require(order.connects ? is_place(order.partner) : order.partner == channel::Address{});
}

struct TestOrder {
  std::uint32_t number = 0;
  bool connects = false;  // true: this end connects, and the other end waits for it
  bool small = false;
  channel::Address partner = {};  // the other end's, for the end that connects

  friend bool operator==(const TestOrder&, const TestOrder&) = default;
};
template <class Io>
void fields(Io& io, TestOrder& order) {
  order_fields(io.named("test"), order);
}

inline constexpr record::Range nccl_limit{std::chrono::milliseconds(250),
                                          std::chrono::milliseconds(15000)};

// Prepares a node's GPU and NCCL for tests after those of the network; says how long the preparation and each
// test may take.
struct NcclStartOrder {
  std::chrono::milliseconds start{0};
  std::chrono::milliseconds test{0};

  friend bool operator==(const NcclStartOrder&, const NcclStartOrder&) = default;
};
template <class Io>
void fields(Io& io, NcclStartOrder& order) {
  io(order.start, nccl_limit)(order.test, nccl_limit);
}

// The time limits for a preflight with this overall limit.
NcclStartOrder nccl_limits(std::chrono::milliseconds limit);

struct NcclOrder {
  std::uint32_t number = 0;
  bool connects = false;  // true: this is rank 1; the other end, rank 0, waits for it
  bool small = false;
  channel::Address partner = {};  // for the end that connects: where it finds rank 0

  friend bool operator==(const NcclOrder&, const NcclOrder&) = default;
};
template <class Io>
void fields(Io& io, NcclOrder& order) {
  order_fields(io.named("nccl-test"), order);
}

// A node's first message.
struct Hello {
  std::string node;
  channel::Address place;  // where it waits for other nodes
  bool has_gpu = false;    // an NVIDIA GPU

  friend bool operator==(const Hello&, const Hello&) = default;
};
template <class Io>
void fields(Io& io, Hello& hello) {
  io(hello.node, record::Line{255})(hello.place)(hello.has_gpu);
  io.require(!hello.node.empty() && is_place(hello.place));
}

inline constexpr std::string_view end_of_tests = "end";

std::string to_text(const TestOrder& order);
std::string to_text(const NcclStartOrder& order);
std::string to_text(const NcclOrder& order);
std::string to_text(const Hello& hello);

// No value for a text that to_text() cannot have written.
std::optional<TestOrder> test_order(std::string_view text);
std::optional<NcclStartOrder> nccl_start_order(std::string_view text);
std::optional<NcclOrder> nccl_order(std::string_view text);
std::optional<Hello> hello_from(std::string_view text);

}  // namespace muster::preflight
