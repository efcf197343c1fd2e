// Host names, interfaces and proxies.
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/os/host_name.hpp"
#include "launcher/os/resolve.hpp"
#include "launcher/tools/doctor/gather.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <set>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace muster::doctor {
namespace {

// Bridges, and the pairs of containers and virtual machines.
bool is_local(std::string_view name) {
  constexpr std::array<std::string_view, 6> local{"lo", "docker", "veth", "virbr", "br-", "podman"};
  return std::ranges::any_of(local, [name](auto prefix) { return name.starts_with(prefix); });
}

void add_interfaces(const Surroundings& surroundings, Facts& facts) {
  std::vector<std::string> names;
  std::vector<std::string> devices;
  std::vector<std::string> others;
  for (const auto& name : names_in(surroundings.root / "sys/class/net")) {
    const auto folder = "sys/class/net/" + name;
    if (first_line(surroundings, folder + "/operstate") == "down") continue;
    const auto mtu = first_line(surroundings, folder + "/mtu");
    if (mtu.empty()) continue;
    names.push_back(name);
    std::error_code unknown;
    const bool is_device = std::filesystem::exists(surroundings.root / folder / "device", unknown);
    if (!is_local(name)) (is_device ? devices : others).push_back(mtu);
  }
  if (names.empty()) return;
  facts.set("net.interfaces", text::join(names, " "));
  // Compared without names, which differ between nodes. Bonds and VLANs count as the devices below them.
  auto& sizes = devices.empty() ? others : devices;
  std::ranges::sort(sizes);
  // Their number does not matter either: one more device with the same MTU is not a different MTU.
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  facts.set("net.mtu", text::join(sizes, " "));
}

// "10.1.0.0/16"; both arguments are in network byte order.
std::string network_name(std::uint32_t network, std::uint32_t mask) {
  std::array<char, INET_ADDRSTRLEN> text{};
  const in_addr address{network};
  inet_ntop(AF_INET, &address, text.data(), text.size());
  return fmt::format("{}/{}", text.data(), std::popcount(mask));
}

// Which MTU this host uses on an IPv4 network; for two interfaces on one network, both.
void add_mtu(const Surroundings& surroundings, const std::string& network,
             const std::set<std::string>& interfaces, Facts& facts) {
  std::set<std::string> sizes;
  for (const auto& name : interfaces) {
    const auto mtu = first_line(surroundings, "sys/class/net/" + name + "/mtu");
    if (!mtu.empty()) sizes.insert(mtu);
  }
  if (!sizes.empty())
    facts.set(fmt::format("mtu.{}", network),
              text::join(std::vector<std::string>(sizes.begin(), sizes.end()), " "));
}

// The MTU of each IPv4 network, and the interfaces that share one with another.
void add_subnets(const Surroundings& surroundings, Facts& facts) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, freeifaddrs);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::string>> subnets;
  for (const auto* at = list; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_netmask == nullptr || is_local(at->ifa_name)) continue;
    if (at->ifa_addr->sa_family != AF_INET || (at->ifa_flags & IFF_UP) == 0) continue;
    const auto address = reinterpret_cast<const sockaddr_in*>(at->ifa_addr)->sin_addr.s_addr;
    const auto mask = reinterpret_cast<const sockaddr_in*>(at->ifa_netmask)->sin_addr.s_addr;
    subnets[{address & mask, mask}].insert(at->ifa_name);
  }
  std::set<std::string> shared;
  for (const auto& [subnet, names] : subnets) {
    add_mtu(surroundings, network_name(subnet.first, subnet.second), names, facts);
    if (names.size() > 1) shared.insert(names.begin(), names.end());
  }
  facts.set("net.shared_subnet", text::join(shared, ", "));
}

// The kernel uses the larger of two settings: the one for all interfaces, and the interface's own.
void add_arp(const Surroundings& surroundings, Facts& facts) {
  const std::string folder = "proc/sys/net/ipv4/conf/";
  const auto of = [&](const std::string& name) {
    return text::number<std::uint64_t>(first_line(surroundings, folder + name + "/arp_ignore"));
  };
  const auto all = of("all");
  if (!all) return;
  std::optional<std::uint64_t> least;
  const auto shared = facts.text("net.shared_subnet");
  for (auto name : text::split(shared, ',')) {
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    const auto own = std::max(*all, of(std::string(name)).value_or(0));
    least = std::min(least.value_or(own), own);
  }
  facts.set_number("sysctl.arp_ignore", least.value_or(*all));
}

void add_name(const Surroundings& surroundings, Facts& facts) {
  const auto begin = Clock::now();
  const auto name = os::host_name();
  const auto addresses = os::numeric_addresses(name, time_for_child(surroundings));
  os::answer_of_child([] { return std::string(getpwuid(getuid()) == nullptr ? "n" : "y"); },
                      time_for_child(surroundings));
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  facts.set("name.own", name);
  facts.set("name.addresses", text::join(addresses, " "));
  facts.set_number("name.ms", static_cast<std::uint64_t>(took.count()));
}

bool skips(std::string_view no_proxy, std::string_view name) {
  const auto entries = text::split(no_proxy, ',');
  return std::ranges::any_of(entries, [name](auto entry) {
    entry.remove_prefix(std::min(entry.find_first_not_of(' '), entry.size()));
    if (entry == "*" || entry == name) return true;
    entry.remove_prefix(std::min(entry.find_first_not_of("*."), entry.size()));
    return !entry.empty() && name.ends_with(fmt::format(".{}", entry));  // as curl and Python do
  });
}

void add_proxy(const Surroundings& surroundings, Facts& facts) {
  constexpr std::array<const char*, 6> names{"http_proxy", "https_proxy", "all_proxy",
                                             "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"};
  std::vector<std::string> set;
  for (const auto* const name : names) {
    if (!surroundings.environment.get(name).empty()) set.emplace_back(name);
  }
  facts.set("proxy.set", text::join(set, ", "));
  const bool skipped = skips(surroundings.environment.get("no_proxy"), facts.text("name.own")) ||
                       skips(surroundings.environment.get("NO_PROXY"), facts.text("name.own"));
  facts.set("proxy.skips_own_name", skipped ? "yes" : "no");
}

}  // namespace

void add_network_facts(const Surroundings& surroundings, Facts& facts) {
  add_interfaces(surroundings, facts);
  add_subnets(surroundings, facts);
  add_name(surroundings, facts);
  add_proxy(surroundings, facts);
  add_arp(surroundings, facts);
  auto ports = first_line(surroundings, "proc/sys/net/ipv4/ip_local_port_range");
  std::ranges::replace(ports, '\t', '-');
  if (!ports.empty()) facts.set("sysctl.ports", ports);
}

}  // namespace muster::doctor
