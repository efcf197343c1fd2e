#include "core/rendezvous/endpoint.hpp"

#include <fmt/format.h>

namespace muster::rendezvous {

std::string endpoint_text(std::string_view address, Port port) {
  const bool v6 = address.find(':') != std::string_view::npos;
  return v6 ? fmt::format("[{}]:{}", address, port) : fmt::format("{}:{}", address, port);
}

}  // namespace muster::rendezvous
