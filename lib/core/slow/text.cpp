#include "core/slow/text.hpp"

#include "core/text/quote.hpp"

#include <cmath>

#include <fmt/format.h>

namespace muster::slow {
namespace {

// Two significant digits, in the unit of the period.
std::string time_text(std::chrono::nanoseconds time, bool in_seconds) {
  const auto value = std::chrono::duration<double>(time).count() * (in_seconds ? 1 : 1000);
  const int decimals = value >= 10 ? 0 : value >= 1 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, in_seconds ? "s" : "ms");
}

// Two significant digits. Network speeds count in powers of ten.
std::string speed_text(double speed, bool in_megabytes) {
  const auto value = speed / (in_megabytes ? 1e6 : 1e3);
  const int decimals = value >= 10 ? 0 : value >= 1 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, in_megabytes ? "MB/s" : "kB/s");
}

std::string link_line(const Named& named) {
  constexpr double notable = 0.1;  // percent
  const auto& link = *named.link;
  const auto* const does = !link.to.empty() || link.direction == Direction::both ? "carries"
                           : link.direction == Direction::out                    ? "sends"
                                                                                 : "receives";
  const bool in_megabytes = link.speed >= 1e5;
  const auto repeated =
      link.repeated_percent >= notable
          ? fmt::format("; {:.1f} % of its TCP segments are retransmitted", link.repeated_percent)
          : std::string();
  return fmt::format(
      "{} {} {} while busy, the others {} (median); it is busy {:.0f} % of the time: "
      "about {:.0f} % of the time is lost{}",
      who(named), does, speed_text(link.speed, in_megabytes), speed_text(link.others, in_megabytes),
      link.busy_percent, named.time_percent, repeated);
}

}  // namespace

std::string who(const Named& named) {
  const auto node = text::printable(named.node);
  if (named.link && named.link->to.empty()) return fmt::format("the network of {}", node);
  if (named.link)
    return fmt::format("the link from {} to {}", node, text::printable(named.link->to));
  return named.rank ? fmt::format("rank {} on {}", *named.rank, node)
                    : fmt::format("node {}", node);
}

std::string line(const Named& named) {
  if (named.link) return link_line(named);
  const bool in_seconds = named.period >= std::chrono::seconds(1);
  const auto group =
      named.group.empty() || named.group == "default_pg" || named.group == "undefined"
          ? std::string()
          : fmt::format(" of {}", text::printable(named.group));
  return fmt::format(
      "{} arrives last in {:.0f} % of {} calls{}, which costs {} of every {}: "
      "{:.0f} % of the time{}{}",
      who(named), named.last_percent, text::printable(named.operation), group,
      time_text(named.delay, in_seconds), time_text(named.period, in_seconds), named.time_percent,
      named.cause.empty() ? "" : "; ", named.cause);
}

}  // namespace muster::slow
