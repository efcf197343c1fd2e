#include "worker/own_address.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace muster::worker {
namespace {

constexpr std::size_t max_hosts_bytes = 1U << 20;

std::string to_text(const sockaddr* raw) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (raw == nullptr) return {};
  const void* bytes = nullptr;
  if (raw->sa_family == AF_INET) {
    bytes = &reinterpret_cast<const sockaddr_in*>(raw)->sin_addr;
  } else if (raw->sa_family == AF_INET6) {
    const auto* const v6 = &reinterpret_cast<const sockaddr_in6*>(raw)->sin6_addr;
    if (IN6_IS_ADDR_LINKLOCAL(v6)) return {};
    bytes = v6;
  }
  if (bytes == nullptr) return {};
  return inet_ntop(raw->sa_family, bytes, text.data(), text.size()) != nullptr ? text.data() : "";
}

std::vector<std::string_view> words(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) found.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

// NCCL's syntax: a list of prefixes; with "=", a list of exact names; with "^", all interfaces except these.
bool selects(std::string_view list, const std::string& name) {
  const bool all_but = list.starts_with('^');
  if (all_but) list.remove_prefix(1);
  const bool whole = list.starts_with('=');
  if (whole) list.remove_prefix(1);
  const auto names = words(list, ",");
  const bool listed = std::any_of(names.begin(), names.end(), [&](std::string_view each) {
    return whole ? name == each : std::string_view{name}.starts_with(each);
  });
  return listed != all_but;
}

// The first address of rank 0's family, or the first of all.
std::string best(const std::vector<Interface>& some, bool v6_first) {
  const auto found = std::find_if(some.begin(), some.end(),
                                  [&](const Interface& each) { return each.v6() == v6_first; });
  if (found != some.end()) return found->address;
  return some.empty() ? std::string{} : some.front().address;
}

template <class Wanted>
std::vector<Interface> those(const std::vector<Interface>& all, Wanted wanted) {
  std::vector<Interface> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), wanted);
  return some;
}

// Other nodes cannot reach a loopback interface. So a list of exclusions never selects it, but a list that
// names it does.
std::vector<Interface> chosen_network(const std::vector<Interface>& all,
                                      const Environment& environment) {
  for (const auto* const variable : {"NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"}) {
    const auto list = environment.get(variable);
    if (list.empty()) continue;
    auto some = those(all, [&](const Interface& each) {
      return selects(list, each.name) && !(each.loopback && list.starts_with('^'));
    });
    if (!some.empty()) return some;
  }
  return {};
}

std::optional<sockaddr_storage> numeric(std::string_view host) {
  sockaddr_storage storage{};
  const std::string text{host};
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&storage);
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&storage);
  constexpr in_port_t any_port = 9;
  if (inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(any_port);
  } else if (inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(any_port);
  } else {
    return std::nullopt;
  }
  return storage;
}

class Datagrams {
 public:
  explicit Datagrams(int family) : fd_(socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}
  Datagrams(const Datagrams&) = delete;
  Datagrams& operator=(const Datagrams&) = delete;
  ~Datagrams() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

// Connecting a datagram socket sends nothing: it only asks the kernel for the route.
std::string source_towards(std::string_view host) {
  const auto target = numeric(host);
  if (!target) return {};
  const Datagrams socket(target->ss_family);
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  const bool known =
      connect(socket.fd(), reinterpret_cast<const sockaddr*>(&*target), sizeof *target) == 0 &&
      getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&own), &size) == 0;
  return known ? to_text(reinterpret_cast<const sockaddr*>(&own)) : std::string{};
}

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1";
}

// A socket can be bound only to addresses of this node.
bool is_own(const std::string& address) {
  auto own = numeric(address);
  if (!own || is_loopback(address)) return false;
  const Datagrams socket(own->ss_family);
  // The port is at the same offset in both families.
  reinterpret_cast<sockaddr_in*>(&*own)->sin_port = 0;
  return bind(socket.fd(), reinterpret_cast<const sockaddr*>(&*own), sizeof *own) == 0;
}

// The address of the interface that the launcher named. IPv4 only, and not if rank 0 is reached by IPv6.
std::string address_of_named_interface(const Environment& environment) {
  const auto name = environment.get("NCCL_SOCKET_IFNAME");
  const bool v6 = environment.get("MASTER_ADDR").find(':') != std::string_view::npos;
  if (v6 || name.empty() || name.size() >= IFNAMSIZ) return {};
  if (name.find_first_of("^=,") != std::string_view::npos) return {};
  ifreq request{};
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  const Datagrams socket(AF_INET);
  return ioctl(socket.fd(), SIOCGIFADDR, &request) == 0 ? to_text(&request.ifr_addr)
                                                        : std::string{};
}

std::string hosts_file() {
  std::array<char, 4096> chunk{};
  std::string text;
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen("/etc/hosts", "re"), std::fclose);
  while (file != nullptr && text.size() < max_hosts_bytes) {
    const auto bytes = std::fread(chunk.data(), 1, chunk.size(), file.get());
    if (bytes == 0) break;
    text.append(chunk.data(), bytes);
  }
  return text;
}

std::string node_name(const Environment& environment) {
  const auto name = environment.get("SLURMD_NODENAME");
  if (!name.empty()) return std::string{name};
  std::array<char, 256> host{};
  return gethostname(host.data(), host.size() - 1) == 0 ? host.data() : "";
}

}  // namespace

std::vector<Interface> interfaces() {
  ifaddrs* raw = nullptr;
  if (getifaddrs(&raw) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> list(raw, freeifaddrs);
  std::vector<Interface> all;
  for (const auto* each = raw; each != nullptr; each = each->ifa_next) {
    auto address = to_text(each->ifa_addr);
    if (address.empty() || (each->ifa_flags & IFF_UP) == 0) continue;
    all.push_back({each->ifa_name, std::move(address), (each->ifa_flags & IFF_LOOPBACK) != 0});
  }
  return all;
}

std::vector<std::string> addresses_in_hosts(std::string_view text, std::string_view name) {
  std::vector<std::string> addresses;
  for (const auto line : words(text, "\n")) {
    const auto entry = words(line.substr(0, line.find('#')), " \t\r");
    if (entry.size() < 2) continue;
    if (std::find(entry.begin() + 1, entry.end(), name) != entry.end()) {
      addresses.emplace_back(entry.front());
    }
  }
  return addresses;
}

std::string choose_address(const std::function<std::vector<Interface>()>& all,
                           const Environment& environment, const AddressClues& clues) {
  if (!clues.of_named_interface.empty()) return clues.of_named_interface;
  const bool v6_first = clues.towards_rank_0.find(':') != std::string::npos;
  if (environment.has("NCCL_SOCKET_IFNAME") || environment.has("GLOO_SOCKET_IFNAME")) {
    auto address = best(chosen_network(all(), environment), v6_first);
    if (!address.empty()) return address;
  }
  // A node's name often resolves to 127.0.1.1 on the node itself, and rank 0's name to loopback.
  if (!clues.towards_rank_0.empty() && !is_loopback(clues.towards_rank_0)) {
    return clues.towards_rank_0;
  }
  if (!clues.of_node_name.empty()) return clues.of_node_name.front();
  const auto reachable = those(all(), [](const Interface& each) { return !each.loopback; });
  const auto first = best(reachable, v6_first);
  return first.empty() ? "127.0.0.1" : first;
}

std::string own_address(const Environment& environment) {
  AddressClues clues{.of_named_interface = address_of_named_interface(environment)};
  if (clues.of_named_interface.empty()) {
    clues.towards_rank_0 = source_towards(environment.get("MASTER_ADDR"));
  }
  if (clues.of_named_interface.empty() &&
      (clues.towards_rank_0.empty() || is_loopback(clues.towards_rank_0))) {
    clues.of_node_name = addresses_in_hosts(hosts_file(), node_name(environment));
    std::erase_if(clues.of_node_name, [](const auto& address) { return !is_own(address); });
  }
  return choose_address(interfaces, environment, clues);
}

}  // namespace muster::worker
