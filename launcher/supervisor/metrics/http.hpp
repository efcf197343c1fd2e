// The part of HTTP that a scraper needs. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace muster::metrics {

inline constexpr std::size_t max_request_bytes = 8192;

// Whether the head of a request has arrived, or is longer than any scraper's.
bool is_whole(std::string_view request);

struct Body {
  std::string_view type;
  std::string text;
};

// The whole response. GET and HEAD of / and /metrics give what `make` returns for the value of Accept; it is
// called for nothing else.
std::string response_to(std::string_view request,
                        const std::function<Body(std::string_view accept)>& make);

}  // namespace muster::metrics
