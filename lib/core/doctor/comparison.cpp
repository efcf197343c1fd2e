// Values that are fine on each node alone but wrong in combination. The most common value counts as the usual
// one, and nodes with a different value are named.
#include "core/doctor/diagnosis.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/text/amounts.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

namespace muster::doctor {
namespace {

constexpr std::string_view mtu_of_network = "mtu.";
constexpr std::size_t max_values = 3;
constexpr std::uint64_t clock_tolerance = 500;  // milliseconds

struct Comparison {
  std::string_view fact;
  Outcome outcome;
  About about;
};

constexpr std::array comparisons{
    Comparison{"release",
               Outcome::warning,
               {"slurm-release", "a plugin works with only one release of Slurm",
                "update the nodes that differ"}},
    Comparison{"plugin.hash",
               Outcome::error,
               {"plugin-version", "the nodes would run different plugins in one step",
                "install the same version of muster on all nodes"}},
    Comparison{"muster",
               Outcome::error,
               {"muster-version", "agents of different versions do not work together",
                "install the same version of muster on all nodes"}},
    Comparison{"config.hash",
               Outcome::warning,
               {"muster-yaml", "ranks are placed by different rules",
                "copy the same muster.yaml to all nodes"}},
    Comparison{"pmix.library",
               Outcome::warning,
               {"pmix-version", "different versions of libpmix may be incompatible",
                "install the same libpmix on all nodes"}},
    Comparison{"nccl.version",
               Outcome::error,
               {"nccl-version", "NCCL refuses to connect different versions, or hangs",
                "use the same version of NCCL on all nodes"}},
    Comparison{"gpu.driver",
               Outcome::warning,
               {"driver-version", "with different drivers, GPUs differ in features and speed",
                "update the nodes that differ"}},
    Comparison{"gpu.count",
               Outcome::warning,
               {"gpu-count", "a GPU has fallen off the bus, or the nodes are of different kinds",
                "look for Xid 79 on the node with fewer GPUs", "dmesg | grep -i xid"}},
    Comparison{
        "kernel",
        Outcome::warning,
        {"kernel-version", "drivers and their defaults differ", "update the nodes that differ"}},
    Comparison{
        "ib.rates",
        Outcome::warning,
        {"rdma-rate", "all ranks wait for the slowest link", "check the cable and the port"}},
    Comparison{"ib.active",
               Outcome::warning,
               {"rdma-count", "all ranks wait for the node with fewer rails",
                "check the cable and the port"}},
    Comparison{"limit.memlock",
               Outcome::warning,
               {"memlock-limit", "RDMA works only on some nodes",
                "set the same LimitMEMLOCK for slurmd on all nodes"}},
    Comparison{"limit.nofile",
               Outcome::warning,
               {"open-files-limit", "large runs fail only on some nodes",
                "set the same LimitNOFILE for slurmd on all nodes"}},
    Comparison{"sysctl.ports",
               Outcome::warning,
               {"port-range", "a firewall rule matches only some nodes",
                "set the same net.ipv4.ip_local_port_range on all nodes"}},
    Comparison{"memory.gib",
               Outcome::warning,
               {"memory-size", "a memory module has failed, or the nodes are of different kinds",
                "check the memory modules of the node with less memory", "dmidecode -t memory"}},
};

constexpr About mtu{"mtu", "large messages hang or are refused between nodes with different MTUs",
                    "set the same MTU from end to end, including the switches"};

constexpr About clock{"clock",
                      "munge rejects credentials whose time is off: \"Expired credential\"",
                      "synchronize the clocks with chrony or ntpd", "chronyc tracking"};

using Values =
    std::vector<std::pair<std::string, std::vector<std::string>>>;  // the usual one first

Values values_of(const std::vector<Host>& hosts, std::string_view fact) {
  std::map<std::string, std::vector<std::string>> nodes;
  for (const auto& host : hosts) {
    // A missing value gets a row of its own.
    if (host.facts.text(fact) == "missing") continue;
    if (!host.submits && host.facts.has(fact)) nodes[host.facts.text(fact)].push_back(host.name);
  }
  Values values(nodes.begin(), nodes.end());
  std::ranges::stable_sort(values, std::ranges::greater{},
                           [](const auto& each) { return each.second.size(); });
  return values;
}

// Firmware reserves some memory, and not the same amount on every node; a memory module is at least 1/32 of
// the total.
void merge_sizes_alike(Values& values) {
  constexpr std::uint64_t alike = 50;  // 2 %
  if (values.empty()) return;
  const auto usual = text::number<std::uint64_t>(values.front().first);
  for (auto at = values.begin() + 1; usual && at != values.end();) {
    const auto size = text::number<std::uint64_t>(at->first);
    const bool close = size && std::max(*size, *usual) - std::min(*size, *usual) <= *usual / alike;
    auto& nodes = values.front().second;
    if (close) nodes.insert(nodes.end(), at->second.begin(), at->second.end());
    at = close ? values.erase(at) : at + 1;
  }
}

Row difference(const Comparison& comparison, const Values& values) {
  Row row{comparison.about, comparison.outcome, {}, {}};
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& [value, nodes] = values[i];
    if (i < max_values)
      parts.push_back(fmt::format("{} on {}", value, slurm::compress_hostlist(nodes)));
    // If the nodes split evenly, neither value is the usual one.
    if (i > 0 || nodes.size() == values[1].second.size())
      row.hosts.insert(row.hosts.end(), nodes.begin(), nodes.end());
  }
  if (values.size() > max_values)
    parts.push_back("and " + text::count(values.size() - max_values, "other value"));
  row.evidence = text::join(parts, "; ");
  return row;
}

// Compares the MTUs of interfaces on the same network. Devices without an address there are compared as a
// whole: they may differ because the nodes are of different kinds, or because each node has a network of its
// own.
void compare_mtus(const std::vector<Host>& hosts, std::vector<Row>& rows) {
  std::set<std::string> networks;
  for (const auto& host : hosts) {
    for (const auto& [fact, value] : host.facts.all()) {
      if (fact.starts_with(mtu_of_network)) networks.insert(fact);
    }
  }
  const auto before = rows.size();
  for (const auto& fact : networks) {
    const auto values = values_of(hosts, fact);
    const auto network = std::string_view(fact).substr(mtu_of_network.size());
    if (values.size() > 1) {
      rows.push_back(difference({fact, Outcome::error, mtu}, values));
      rows.back().evidence = fmt::format("network {}: {}", network, rows.back().evidence);
    }
  }
  if (rows.size() > before) return;
  const auto values = values_of(hosts, "net.mtu");
  if (values.size() > 1) {
    rows.push_back(difference({"net.mtu", Outcome::warning, mtu}, values));
  } else if (values.size() == 1 && values[0].second.size() > 1) {
    rows.push_back({mtu, Outcome::ok, values[0].first, values[0].second});
  }
}

void compare_clocks(const std::vector<Host>& hosts, const Window& asked, std::vector<Row>& rows) {
  Row good{clock, Outcome::ok, "the clocks of all nodes agree with the submit host's", {}};
  for (const auto& host : hosts) {
    const auto time = host.facts.number("clock.ms");
    if (host.submits || !time || asked.end == 0) continue;
    const auto early = asked.begin > *time ? asked.begin - *time : 0;
    const auto late = *time > asked.end ? *time - asked.end : 0;
    if (early <= clock_tolerance && late <= clock_tolerance) {
      good.hosts.push_back(host.name);
    } else {
      rows.push_back(
          {clock,
           Outcome::error,
           fmt::format("at least {:.1f} s {} the submit host",
                       static_cast<double>(early + late) / 1000, late > 0 ? "ahead of" : "behind"),
           {host.name}});
    }
  }
  if (!good.hosts.empty()) rows.push_back(std::move(good));
}

}  // namespace

std::vector<Row> compare_nodes(const std::vector<Host>& hosts, const Window& asked) {
  std::vector<Row> rows;
  for (const auto& comparison : comparisons) {
    auto values = values_of(hosts, comparison.fact);
    if (comparison.fact == "memory.gib") merge_sizes_alike(values);
    if (values.size() > 1) {
      rows.push_back(difference(comparison, values));
    } else if (values.size() == 1 && values[0].second.size() > 1) {
      rows.push_back({comparison.about, Outcome::ok, values[0].first, values[0].second});
    }
  }
  compare_mtus(hosts, rows);
  compare_clocks(hosts, asked, rows);
  return rows;
}

}  // namespace muster::doctor
