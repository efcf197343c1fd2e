#include "worker/tcp/resolve.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include <netdb.h>

namespace muster::worker::tcp {
namespace {

constexpr std::size_t max_addresses = 8;

// glibc uses it during a lookup, so it must outlive a request that was abandoned.
struct Lookup {
  std::string host;
  std::string port;
  addrinfo hints{};
  gaicb request{};

  Lookup(std::string name, std::uint16_t number)
      : host(std::move(name)), port(std::to_string(number)) {
    hints.ai_socktype = SOCK_STREAM;
    request.ar_name = host.c_str();
    request.ar_service = port.c_str();
    request.ar_request = &hints;
  }
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;
  ~Lookup() {
    if (request.ar_result != nullptr) freeaddrinfo(request.ar_result);
  }
};

Resolved addresses_of(const addrinfo* list) {
  Resolved resolved;
  for (const auto* each = list; each != nullptr; each = each->ai_next) {
    if (resolved.addresses.size() == max_addresses) break;
    SocketAddress address;
    address.size = std::min<socklen_t>(each->ai_addrlen, sizeof address.storage);
    std::memcpy(&address.storage, each->ai_addr, address.size);
    resolved.addresses.push_back(address);
  }
  return resolved;
}

timespec time_left(Deadline::Clock::time_point until) {
  const auto milliseconds = milliseconds_until(until);
  return {milliseconds / 1000, (milliseconds % 1000) * 1'000'000L};
}

// The error of getaddrinfo(), or EAI_INPROGRESS if it is too late.
int look_up(Lookup& lookup, Deadline::Clock::time_point until) {
  std::array<gaicb*, 1> list{&lookup.request};
  if (const int error = getaddrinfo_a(GAI_NOWAIT, list.data(), 1, nullptr); error != 0) {
    return error;
  }
  while (gai_error(&lookup.request) == EAI_INPROGRESS) {
    const auto left = time_left(until);
    if (left.tv_sec == 0 && left.tv_nsec == 0) break;
    gai_suspend(list.data(), 1, &left);
  }
  if (gai_error(&lookup.request) == EAI_INPROGRESS) gai_cancel(&lookup.request);
  return gai_error(&lookup.request);
}

}  // namespace

Resolved resolve(const std::string& host, std::uint16_t port, Deadline::Clock::time_point until) {
  auto lookup = std::make_unique<Lookup>(host, port);
  addrinfo numeric = lookup->hints;
  numeric.ai_flags = AI_NUMERICHOST;
  if (getaddrinfo(host.c_str(), lookup->port.c_str(), &numeric, &lookup->request.ar_result) == 0) {
    return addresses_of(lookup->request.ar_result);
  }
  const int error = look_up(*lookup, until);
  if (error == EAI_INPROGRESS) {
    static_cast<void>(lookup.release());  // glibc may still write to it
    return {{}, "the address of " + host + " was not resolved in time; is the name server up?"};
  }
  if (error != 0) return {{}, "cannot resolve " + host + ": " + gai_strerror(error)};
  return addresses_of(lookup->request.ar_result);
}

}  // namespace muster::worker::tcp
