#include "launcher/os/resolve.hpp"

#include "launcher/os/bounded_child.hpp"

#include <array>
#include <chrono>

#include <netdb.h>
#include <sys/socket.h>

namespace muster::os {
namespace {

std::string lines_for(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  std::string lines;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return lines;
  for (const auto* at = found; at != nullptr; at = at->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(at->ai_addr, at->ai_addrlen, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) == 0) {
      lines += std::string(text.data()) + '\n';
    }
  }
  freeaddrinfo(found);
  return lines;
}

}  // namespace

// In a child, because a name lookup has no deadline of its own.
std::vector<std::string> numeric_addresses(const std::string& host,
                                           std::chrono::milliseconds timeout) {
  constexpr std::size_t max_addresses = 16;
  const auto lines = answer_of_child([&host] { return lines_for(host); }, timeout);
  std::vector<std::string> addresses;
  std::size_t begin = 0;
  while (lines && begin < lines->size() && addresses.size() < max_addresses) {
    const auto end = lines->find('\n', begin);
    addresses.push_back(lines->substr(begin, end - begin));
    begin = end + 1;
  }
  return addresses;
}

}  // namespace muster::os
