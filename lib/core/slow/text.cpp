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

}  // namespace

std::string who(const Named& named) {
  const auto node = text::printable(named.node);
  return named.rank ? fmt::format("rank {} on {}", *named.rank, node)
                    : fmt::format("node {}", node);
}

std::string line(const Named& named) {
  const bool in_seconds = named.period >= std::chrono::seconds(1);
  const auto group =
      named.group.empty() || named.group == "default_pg" || named.group == "undefined"
          ? std::string()
          : fmt::format(" of {}", text::printable(named.group));
  return fmt::format("{} arrives last in {:.0f} % of {}{}, {} of each {}: {:.0f} % of the time{}{}",
                     who(named), named.last_percent, text::printable(named.operation), group,
                     time_text(named.delay, in_seconds), time_text(named.period, in_seconds),
                     named.time_percent, named.cause.empty() ? "" : "; ", named.cause);
}

}  // namespace muster::slow
