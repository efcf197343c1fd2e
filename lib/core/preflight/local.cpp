#include "core/preflight/local.hpp"

#include "core/contains.hpp"
#include "core/doctor/check.hpp"
#include "core/record/record.hpp"
#include "core/text/amounts.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::preflight {
namespace {

constexpr std::string_view disk_prefix = "disk.";
constexpr std::string_view growing = "net.carrier_changes";

// Doctor's rows about problems that break or slow down this node, as opposed to the site's setup.
constexpr std::array<std::string_view, 10> chosen{
    "gpu-driver", "gpu-fabric", "gpu-remap-failed", "gpu-remap-pending", "gpu-memory",
    "gpu-clocks", "gpu-pcie",   "rdma-ports",       "rdma-errors",       "slingshot-retry"};

struct Counted {
  std::string_view name;
  std::string_view one;
  std::string_view many;
};
constexpr std::array counted{
    Counted{"gpu.count", "GPU", "GPUs"},
    Counted{"ib.active", "active RDMA port", "active RDMA ports"},
    Counted{"ib.rate", "Gb/s on its slowest RDMA port", "Gb/s on its slowest RDMA port"},
    Counted{"net.speed", "Mb/s on its network interface", "Mb/s on its network interface"}};

constexpr std::string_view cpu_quota = "cpu.quota";  // in thousandths of a CPU, like the next one
constexpr std::string_view cpus_online = "cpu.online";
constexpr std::array plain{growing, cpu_quota, cpus_online};
constexpr double low_quota = 0.6;  // times what half of the nodes may use

void add(Local& local, Severity severity, std::string what) {
  if (local.findings.size() < max_findings)
    local.findings.push_back({severity, finding_text(what)});
}

void add_doctors(const doctor::Facts& facts, Local& local) {
  for (const auto& check : doctor::all_checks()) {
    if (!contains(chosen, check.about.id)) continue;
    const auto verdict = check.evaluate(facts);
    if (!verdict || verdict->outcome < doctor::Outcome::warning) continue;
    const bool error = verdict->outcome == doctor::Outcome::error;
    add(local, error ? Severity::failing : Severity::warning, verdict->evidence);
  }
}

void add_disks(const doctor::Facts& facts, Local& local) {
  for (const auto& [name, value] : facts.all()) {
    if (!name.starts_with(disk_prefix) || value == "ok") continue;
    // A file system may be full or read-only on purpose, but one that does not answer blocks every process
    // that touches it.
    const bool stuck = value.starts_with("no answer");
    add(local, stuck ? Severity::failing : Severity::warning,
        fmt::format("{}: {}", name.substr(disk_prefix.size()), value));
  }
}

std::optional<std::uint64_t> count_of(const std::optional<Local>& node, std::string_view name) {
  if (!node) return std::nullopt;
  const auto found = node->counts.find(name);
  return found == node->counts.end() ? std::nullopt : std::optional(found->second);
}

// The value shared by more than half of at least three nodes.
std::optional<std::uint64_t> usual(const std::vector<std::optional<Local>>& nodes,
                                   std::string_view name) {
  constexpr std::size_t least = 3;
  std::map<std::uint64_t, std::size_t> times;
  std::size_t all = 0;
  for (const auto& node : nodes) {
    const auto count = count_of(node, name);
    if (!count) continue;
    ++times[*count];
    ++all;
  }
  for (const auto& [value, number] : times) {
    if (all >= least && 2 * number > all) return value;
  }
  return std::nullopt;
}

// How much CPU time a node may use, in thousandths of a CPU.
std::optional<std::uint64_t> allowed(const std::optional<Local>& node) {
  const auto online = count_of(node, cpus_online);
  const auto quota = count_of(node, cpu_quota);
  return online && quota ? std::min(online, quota) : std::max(online, quota);
}

// Finds a quota that other nodes do not have, or that is lower than theirs. A node that simply has fewer CPUs
// is fine.
void compare_quotas(const std::vector<std::optional<Local>>& nodes,
                    std::vector<std::vector<Finding>>& findings) {
  constexpr std::size_t least = 3;
  constexpr double thousandths = 1000;
  std::vector<std::uint64_t> all;
  for (const auto& node : nodes) {
    if (const auto its = allowed(node)) all.push_back(*its);
  }
  if (all.size() < least) return;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  const auto usual = static_cast<double>(*middle);
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const auto quota = count_of(nodes[node], cpu_quota);
    const auto its = static_cast<double>(quota.value_or(0));
    if (!quota || its >= low_quota * usual) continue;
    findings[node].push_back(
        {Severity::slow,
         fmt::format(
             "its control group limits it to {:.1f} CPUs, but half of the nodes can use {:.1f} or more",
             its / thousandths, usual / thousandths)});
  }
}

}  // namespace

Local judge_node(const doctor::Facts& facts) {
  Local local;
  add_doctors(facts, local);
  const auto recovery = facts.text("gpu.recovery");
  if (!recovery.empty())
    add(local, Severity::failing,
        fmt::format("GPU {}: the driver requests a reset or a reboot", recovery));
  if (facts.text("gpu.memory_held") == "yes")
    add(local, Severity::warning, "GPU memory is in use, but no process is using it");
  add_disks(facts, local);
  for (const auto& [name, one, many] : counted) {
    if (const auto count = facts.number(name)) local.counts.emplace(name, *count);
  }
  for (const auto name : plain) {
    if (const auto count = facts.number(name)) local.counts.emplace(name, *count);
  }
  return local;
}

std::string finding_text(std::string_view what) {
  return text::printable(what).substr(0, finding_bytes.size);
}

bool are_known(const Counts& counts) {
  return std::ranges::all_of(counts, [](const auto& count) {
    return contains(plain, count.first) ||
           std::ranges::find(counted, count.first, &Counted::name) != counted.end();
  });
}

std::string to_text(const Local& local) {
  return record::write(local);
}

std::optional<Local> local_from_text(std::string_view text) {
  return record::read<Local>(text);
}

std::vector<std::vector<Finding>> compare(const std::vector<std::optional<Local>>& nodes,
                                          const std::vector<std::optional<Counts>>& before) {
  std::vector<std::vector<Finding>> findings(nodes.size());
  for (const auto& [name, one, many] : counted) {
    const auto most = usual(nodes, name);
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      const auto count = count_of(nodes[node], name);
      if (!most || !count || *count >= *most) continue;
      findings[node].push_back(
          {Severity::slow, fmt::format("{} {}, but most other nodes have {}", *count,
                                       *count == 1 ? one : many, *most)});
    }
  }
  compare_quotas(nodes, findings);
  for (std::size_t node = 0; node < nodes.size() && node < before.size(); ++node) {
    const auto now = count_of(nodes[node], growing);
    if (!now || !before[node]) continue;
    const auto old = before[node]->find(growing);
    if (old == before[node]->end() || *now <= old->second) continue;
    findings[node].push_back(
        {Severity::warning, fmt::format("its links have changed state {} since the last "
                                        "check",
                                        text::count(*now - old->second, "time"))});
  }
  return findings;
}

}  // namespace muster::preflight
