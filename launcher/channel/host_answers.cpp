#include "launcher/channel/host_answers.hpp"

#include "launcher/channel/connect_any.hpp"
#include "launcher/channel/timed.hpp"

#include <algorithm>

namespace muster::channel {

bool host_answers(const Address& host, std::chrono::milliseconds timeout) {
  asio::io_context io{1};
  const auto tried = run_to_end(io, connect_any(endpoints_of(host), timeout));
  return tried.socket || std::ranges::count(tried.errors, asio::error::connection_refused) > 0;
}

std::string answering_address(const Address& place, std::chrono::milliseconds timeout) {
  asio::io_context io{1};
  const auto tried = run_to_end(io, connect_any(endpoints_of(place), timeout));
  asio::error_code error;
  if (tried.socket) {
    const auto peer = tried.socket->remote_endpoint(error);
    if (!error) return peer.address().to_string();
  }
  return place.addresses.empty() ? std::string() : place.addresses.front();
}

}  // namespace muster::channel
