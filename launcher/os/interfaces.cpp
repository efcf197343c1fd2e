#include "launcher/os/interfaces.hpp"

#include "core/error.hpp"
#include "core/text/list.hpp"

#include <algorithm>
#include <future>
#include <memory>
#include <set>
#include <thread>

#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>
#include <fmt/format.h>
#include <fnmatch.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>

namespace muster::os {
namespace {

std::optional<asio::ip::address> address_of(const sockaddr* raw) {
  if (raw == nullptr) return std::nullopt;
  if (raw->sa_family == AF_INET) {
    const auto* const v4 = reinterpret_cast<const sockaddr_in*>(raw);
    return asio::ip::address_v4(ntohl(v4->sin_addr.s_addr));
  }
  if (raw->sa_family == AF_INET6) {
    const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(raw);
    asio::ip::address_v6::bytes_type bytes;
    std::copy_n(v6->sin6_addr.s6_addr, bytes.size(), bytes.begin());
    return asio::ip::address_v6(bytes);
  }
  return std::nullopt;
}

bool link_local(const asio::ip::address& address) {
  return address.is_v6() && address.to_v6().is_link_local();
}

asio::ip::address lookup(const std::string& name) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* raw = nullptr;
  if (const int error = getaddrinfo(name.c_str(), nullptr, &hints, &raw); error != 0) {
    throw Error(fmt::format("cannot resolve {}: {}; is it in DNS or in this node's /etc/hosts?",
                            name, gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(raw, freeaddrinfo);
  std::optional<asio::ip::address> any;
  for (const auto* entry = raw; entry != nullptr; entry = entry->ai_next) {
    const auto address = address_of(entry->ai_addr);
    if (!address || link_local(*address)) continue;
    if (address->is_v4()) return *address;
    if (!any) any = address;
  }
  if (!any)
    throw Error(
        fmt::format("{} has no usable address; set NodeAddr for its node in slurm.conf", name));
  return *any;
}

// Orders interfaces as the kernel does, with IPv4 before IPv6 on each.
std::pair<std::ptrdiff_t, bool> place_of(const std::vector<Interface>& all, const Interface& one) {
  const auto first = std::ranges::find(all, one.name, &Interface::name);
  return {first - all.begin(), one.address.is_v6()};
}

}  // namespace

std::vector<Interface> interfaces() {
  ifaddrs* raw = nullptr;
  if (getifaddrs(&raw) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> list(raw, freeifaddrs);
  std::vector<Interface> all;
  for (const auto* entry = raw; entry != nullptr; entry = entry->ifa_next) {
    const auto address = address_of(entry->ifa_addr);
    if (!address || (entry->ifa_flags & IFF_UP) == 0 || link_local(*address)) continue;
    all.push_back({entry->ifa_name, *address});
  }
  return all;
}

std::vector<std::string> interface_names() {
  // The struct and the function have the same name.
  using Entry = struct if_nameindex;
  const std::unique_ptr<Entry, void (*)(Entry*)> list(if_nameindex(), if_freenameindex);
  std::vector<std::string> names;
  if (!list) return names;
  for (const auto* entry = list.get(); entry->if_index != 0; ++entry)
    names.emplace_back(entry->if_name);
  return names;
}

std::string interface_with(const std::vector<Interface>& all, const asio::ip::address& address) {
  const auto found = std::ranges::find(all, address, &Interface::address);
  return found == all.end() ? "" : found->name;
}

std::optional<asio::ip::address> source_towards(const asio::ip::address& address) {
  asio::io_context io;
  asio::error_code failed;
  asio::ip::udp::socket socket(io);
  // Connecting a datagram socket sends nothing; it only asks the kernel for the route.
  constexpr unsigned short any_port = 9;
  socket.connect({address, any_port}, failed);
  if (failed) return std::nullopt;
  const auto source = socket.local_endpoint(failed);
  return failed ? std::nullopt : std::optional(source.address());
}

std::string interface_towards(const std::vector<Interface>& all, const asio::ip::address& address) {
  const auto source = source_towards(address);
  return source ? interface_with(all, *source) : std::string();
}

std::optional<Interface> matching(const std::vector<Interface>& all,
                                  const std::vector<std::string>& patterns) {
  const auto found = all_matching(all, patterns);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

std::vector<Interface> all_matching(const std::vector<Interface>& all,
                                    const std::vector<std::string>& patterns) {
  std::vector<Interface> found;
  for (const auto& pattern : patterns) {
    std::vector<Interface> these;
    for (const auto& each : all) {
      if (fnmatch(pattern.c_str(), each.name.c_str(), 0) == 0) these.push_back(each);
    }
    std::stable_sort(these.begin(), these.end(), [&](const auto& one, const auto& other) {
      return place_of(all, one) < place_of(all, other);
    });
    found.insert(found.end(), these.begin(), these.end());
  }
  return found;
}

std::string names_of(const std::vector<Interface>& all) {
  std::set<std::string> names;
  for (const auto& each : all) names.insert(each.name);
  return text::join(names, ", ");
}

asio::ip::address resolve(const std::string& name, std::chrono::milliseconds timeout) {
  asio::error_code not_numeric;
  const auto numeric = asio::ip::make_address(name, not_numeric);
  if (!not_numeric) return numeric;

  // getaddrinfo has no deadline. A thread that is still inside it ends with the process.
  auto promise = std::make_shared<std::promise<asio::ip::address>>();
  auto answer = promise->get_future();
  std::thread([promise, name] {
    try {
      promise->set_value(lookup(name));
    } catch (...) {
      promise->set_exception(std::current_exception());
    }
  }).detach();
  if (answer.wait_for(timeout) != std::future_status::ready) {
    throw Error(
        fmt::format("the address of {} was not resolved within {} s; is the name server up?", name,
                    std::chrono::ceil<std::chrono::seconds>(timeout).count()));
  }
  return answer.get();
}

}  // namespace muster::os
