// Asks a question as client.hpp does, for callers that have other work to do until the answer arrives.
#pragma once

#include "launcher/channel/client.hpp"

#include <asio/awaitable.hpp>

namespace muster::channel {

[[nodiscard]] asio::awaitable<std::optional<std::string>> async_ask(
    Client client, std::string question, std::string text, Client::Clock::time_point deadline);

}  // namespace muster::channel
