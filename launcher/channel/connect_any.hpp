// Connects to whichever of several addresses of one machine answers.
#pragma once

#include "launcher/channel/address.hpp"

#include <chrono>
#include <optional>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/ip/tcp.hpp>

namespace muster::channel {

struct Connected {
  std::optional<asio::ip::tcp::socket> socket;  // no value if none answered in time
  std::vector<asio::error_code> errors;         // for each failed endpoint
};

std::vector<asio::ip::tcp::endpoint> endpoints_of(const Address& server);

// Tries all in parallel, each one a little later than the one before it, so that earlier ones are preferred.
asio::awaitable<Connected> connect_any(std::vector<asio::ip::tcp::endpoint> endpoints,
                                       std::chrono::milliseconds timeout);

}  // namespace muster::channel
