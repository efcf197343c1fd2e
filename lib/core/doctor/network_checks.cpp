// Host names, interfaces and proxies.
#include "core/doctor/check.hpp"
#include "core/text/list.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::doctor {
namespace {

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1";
}

Verdict own_name(const Facts& facts) {
  if (!facts.has("name.own")) return std::nullopt;
  const auto all = facts.text("name.addresses");
  if (all.empty()) return warning("the host's own name cannot be resolved");
  const auto addresses = text::split(all, ' ');
  return warning_if(std::ranges::any_of(addresses, is_loopback),
                    "the host's own name resolves to " + all);
}

// As NCCL reads it: "^" excludes, "=" requires exact names, otherwise a name is a prefix.
std::vector<std::string> chosen(std::string_view value, std::string_view interfaces) {
  const bool excludes = value.starts_with('^');
  if (excludes) value.remove_prefix(1);
  const bool whole = value.starts_with('=');
  if (whole) value.remove_prefix(1);
  std::vector<std::string> names;
  for (const auto name : text::split(interfaces, ' ')) {
    bool matches = false;
    for (const auto entry : text::split(value, ',')) {
      const auto wanted = entry.substr(0, entry.find(':'));
      matches = matches || (!wanted.empty() && (whole ? name == wanted : name.starts_with(wanted)));
    }
    if (matches != excludes) names.emplace_back(name);
  }
  return names;
}

Verdict socket_interface(const Facts& facts) {
  const auto value = facts.text("env.NCCL_SOCKET_IFNAME");
  if (value.empty() || !facts.has("net.interfaces")) return std::nullopt;
  // With many virtual functions the list is truncated, so an interface that is not listed may still exist.
  if (facts.text("net.interfaces").size() >= max_fact_bytes) return std::nullopt;
  const auto names = chosen(value, facts.text("net.interfaces"));
  const auto evidence = fmt::format("NCCL_SOCKET_IFNAME={} matches {}", value,
                                    names.empty() ? "no interface" : text::join(names, ", "));
  if (names.empty()) return error(evidence);
  return warning_if(names.size() > 1 && !value.starts_with('^') && !value.starts_with('='),
                    evidence);
}

Verdict proxy(const Facts& facts) {
  if (!facts.has("proxy.set")) return std::nullopt;
  if (facts.text("proxy.set").empty()) return ok("no *_proxy is set");
  const bool skips = facts.text("proxy.skips_own_name") == "yes";
  return warning_if(!skips, fmt::format("{} set; no_proxy {} this host's name",
                                        facts.text("proxy.set"), skips ? "has" : "lacks"));
}

Verdict arp(const Facts& facts) {
  if (!facts.has("net.shared_subnet") || !facts.has("sysctl.arp_ignore")) return std::nullopt;
  const auto shared = facts.text("net.shared_subnet");
  if (shared.empty()) return ok("no two interfaces share a subnet");
  return warning_if(facts.count("sysctl.arp_ignore") == 0,
                    fmt::format("{} share a subnet, net.ipv4.conf.all.arp_ignore={}", shared,
                                facts.text("sysctl.arp_ignore")));
}

Verdict firewall(const Facts& facts) {
  if (!facts.has("peers.blocked")) return std::nullopt;
  const auto blocked = facts.text("peers.blocked");
  return error_if(!blocked.empty(),
                  blocked.empty() ? "packets reach other nodes" : "no connection to " + blocked);
}

Verdict peer_names(const Facts& facts) {
  if (!facts.has("peers.unknown")) return std::nullopt;
  const auto unknown = facts.text("peers.unknown");
  return warning_if(!unknown.empty(), unknown.empty() ? "names of other nodes can be resolved"
                                                      : unknown + " cannot be resolved");
}

}  // namespace

std::vector<Check> network_checks() {
  return {
      {{"own-name", "gloo and other libraries give their peers an unreachable address",
        "map the host's name to its network address in /etc/hosts; muster itself uses addresses"},
       Place::node,
       own_name},
      {{"firewall",
        "NCCL, gloo and PMIx use arbitrary ports: ranks time out, or their connections are refused",
        "open net.ipv4.ip_local_port_range and MpiParams=ports= between the nodes",
        "nft list ruleset; firewall-cmd --list-all"},
       Place::node,
       firewall},
      {{"peer-names", "programs that connect by name fail; muster itself uses addresses",
        "add the nodes to /etc/hosts or DNS"},
       Place::node,
       peer_names},
      {{"socket-interface",
        "the value replaces NCCL's own choice of interfaces; it is a "
        "prefix unless it starts with '=' or '^'",
        "unset it, or name one interface exactly, with a second '=': NCCL_SOCKET_IFNAME==NAME"},
       Place::node,
       socket_interface},
      {{"proxy", "connections between nodes go to the proxy: 403, 503, or a hang",
        "add the nodes' names to no_proxy, or unset the proxy; profiles jax, ray and "
        "vllm set no_grpc_proxy themselves"},
       Place::anywhere,
       proxy},
      {{"arp", "several interfaces answer for one address: RDMA between rails fails or is slow",
        "set net.ipv4.conf.all.arp_ignore=1 and arp_announce=2, or give each rail a subnet"},
       Place::node,
       arp},
  };
}

}  // namespace muster::doctor
