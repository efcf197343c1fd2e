// Where a step's control channel is: on the submit host, in the supervisor.
#pragma once

#include "core/record/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::channel {

inline constexpr std::size_t max_addresses = 16;

struct Address {
  std::uint16_t port = 0;              // 0: the step has no channel
  std::vector<std::string> addresses;  // numeric, best first

  [[nodiscard]] explicit operator bool() const { return port != 0; }

  friend bool operator==(const Address&, const Address&) = default;
};
template <class Io>
void fields(Io& io, Address& address) {
  io(address.port)(address.addresses, record::Max{max_addresses}, record::Max{64});
}

}  // namespace muster::channel
