// How the two nodes of a test connect: one connects to the other, and both prove the preflight's key.
//
//   accepting -> connecting   challenge   a nonce
//   connecting -> accepting   test        a nonce, and the test's number
//   accepting -> connecting   welcome     ""
#pragma once

#include "launcher/channel/message.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/tools/preflight/order.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>

namespace muster::preflight {

// A connection between the two nodes.
struct Meeting {
  std::unique_ptr<asio::io_context> io;
  std::optional<asio::ip::tcp::socket> socket;
  channel::Proof proof{};
};

inline constexpr std::size_t max_strangers =
    16;  // connections at a time that have not proved the key yet

// Throws an Error of one line.
Meeting connect_to(const TestOrder& order, const secret::Key& key,
                   std::chrono::milliseconds timeout);
Meeting accept_on(const os::Descriptor& listener, bool v6, const TestOrder& order,
                  const secret::Key& key, std::chrono::milliseconds timeout);

}  // namespace muster::preflight
