#include "core/rendezvous/port_candidates.hpp"

#include "core/contains.hpp"
#include "core/error.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace muster::rendezvous {
namespace {

constexpr unsigned first_unprivileged = 1024;

std::optional<unsigned> parse_port(std::string_view text) {
  unsigned port = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc{} || stop != end || port == 0 || port > 65535) return std::nullopt;
  return port;
}

PortCandidates from_user(const std::string& text) {
  const auto port = parse_port(text);
  if (!port || *port < first_unprivileged) {
    throw Error(
        fmt::format("MASTER_PORT is {}, which is not a port between 1024 and 65535; unset "
                    "it to let muster choose, or export a free one",
                    text::in_quotes(text)));
  }
  return {{static_cast<Port>(*port)}, Origin::user, "MASTER_PORT"};
}

// 64-bit FNV-1a, then a finaliser, so that the ports of neighbouring steps are far apart.
std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const unsigned char c : text) h = (h ^ c) * 0x100000001b3;
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccd;
  h ^= h >> 33;
  return h;
}

// Distinct ports of the range, in an order that depends on the step's name.
std::vector<Port> spread(option::PortRange range, const StepName& step,
                         std::size_t most = max_port_candidates) {
  const std::uint64_t size = range.last - range.first + 1U;
  const auto wanted = std::min<std::uint64_t>(size, most);
  std::vector<Port> ports;
  for (std::uint64_t salt = 0; ports.size() < wanted; ++salt) {
    const auto at = hash(fmt::format("{}/{}.{}/{}/{}", step.cluster, step.job_id, step.step_id,
                                     step.attempt, salt)) %
                    size;
    // In a small range, the hashed port may already be in the list; in that case, takes the next one that is
    // not.
    for (std::uint64_t i = 0; i < size; ++i) {
      const auto port = static_cast<Port>(range.first + (at + i) % size);
      if (contains(ports, port)) continue;
      ports.push_back(port);
      break;
    }
  }
  return ports;
}

}  // namespace

std::vector<Port> parse_reserved_ports(std::string_view text, std::size_t most) {
  std::vector<Port> ports;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const auto item = text.substr(0, comma);
    const auto dash = std::min(item.find('-'), item.size());
    const auto first = parse_port(item.substr(0, dash));
    const auto last = dash == item.size() ? first : parse_port(item.substr(dash + 1));
    if (!first || !last) return {};
    for (auto port = *first; port <= *last && ports.size() < most; ++port) {
      ports.push_back(static_cast<Port>(port));
    }
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return ports;
}

PortCandidates port_candidates(const PortSources& sources, const StepName& step) {
  if (sources.user && !sources.user->empty()) return from_user(*sources.user);
  if (sources.option) {
    return {spread(*sources.option, step), sources.option_origin, "port="};
  }
  if (sources.reserved) {
    auto ports = parse_reserved_ports(*sources.reserved);
    if (!ports.empty()) return {std::move(ports), Origin::slurm, "MpiParams=ports="};
  }
  return {spread(sources.site, step), Origin::rendezvous, "port_range"};
}

std::vector<Port> task_port_candidates(const PortSources& sources, const StepName& step,
                                       std::size_t tasks, Port taken) {
  const auto most = tasks + max_port_candidates;
  auto ports =
      sources.reserved ? parse_reserved_ports(*sources.reserved, most) : std::vector<Port>();
  // Avoids the candidates of the ranks, which a neighbouring step may be about to take.
  auto name = step;
  name.cluster += "/tasks";
  for (const auto port : spread(sources.site, name, most)) ports.push_back(port);
  std::erase(ports, taken);
  return ports;
}

std::vector<Port> exchange_port_candidates(const PortSources& sources, const StepName& step,
                                           Port taken) {
  auto ports = sources.option ? spread(*sources.option, step) : std::vector<Port>();
  const auto add = [&](const std::vector<Port>& more) {
    ports.insert(ports.end(), more.begin(), more.end());
  };
  if (sources.reserved) {
    auto leased = parse_reserved_ports(*sources.reserved);
    // Programs count up from MASTER_PORT, so start at the other end.
    std::ranges::reverse(leased);
    add(leased);
  }
  // Avoids the candidates of the ranks, which a neighbouring step may be about to take.
  auto name = step;
  name.cluster += "/exchange";
  add(spread(sources.site, name));
  const std::uint32_t next = taken + 1U;
  std::erase_if(ports, [&](Port port) { return port == taken || port == next; });
  if (ports.size() > max_port_candidates) ports.resize(max_port_candidates);
  return ports;
}

std::vector<Port> meeting_ports(const PortCandidates& candidates, const PortSources& sources,
                                const StepName& step) {
  constexpr std::size_t spare = 4;
  auto ports = candidates.ports;
  for (const auto port : spread(sources.site, step)) {
    if (ports.size() >= candidates.ports.size() + spare) break;
    if (!contains(ports, port)) ports.push_back(port);
  }
  return ports;
}

}  // namespace muster::rendezvous
