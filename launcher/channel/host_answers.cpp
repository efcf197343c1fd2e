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

}  // namespace muster::channel
