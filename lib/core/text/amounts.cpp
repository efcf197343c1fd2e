#include "core/text/amounts.hpp"

#include "core/text/list.hpp"

#include <array>

#include <fmt/format.h>

namespace muster::text {
namespace {

constexpr std::string_view more = "...";

// 123 s as "2 min 3 s", 120 s as "2 min".
std::string two_units(std::int64_t amount, std::int64_t per_large, std::string_view large,
                      std::string_view small) {
  const auto rest = amount % per_large;
  return fmt::format("{} {}{}", amount / per_large, large,
                     rest == 0 ? "" : fmt::format(" {} {}", rest, small));
}

std::string list(const auto& ascending, std::string_view separator, std::size_t columns) {
  std::string text;
  for (auto next = ascending.begin(); next != ascending.end();) {
    const auto first = *next;
    auto last = first;
    for (++next; next != ascending.end() && *next - last <= 1; ++next) last = *next;
    const auto part = range_text(first, last);
    if (text.size() + part.size() + separator.size() + more.size() > columns) {
      return text + std::string(more);
    }
    text += part;
    if (next != ascending.end()) text += separator;
  }
  return text;
}

}  // namespace

std::string plural(std::size_t number, std::string_view noun) {
  return fmt::format("{}{}", noun, number == 1 ? "" : "s");
}

std::string count(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}", number, plural(number, noun));
}

std::string duration(std::chrono::nanoseconds time) {
  using namespace std::chrono;
  if (time == nanoseconds::min()) time += nanoseconds(1);
  if (time < nanoseconds(0)) return "-" + duration(-time);
  const auto milli = round<milliseconds>(time);
  if (milli < seconds(1)) return fmt::format("{} ms", milli.count());
  if (milli < milliseconds(59'950)) {
    return fmt::format("{:.1f} s", static_cast<double>(milli.count()) / 1000);
  }
  if (const auto whole = round<seconds>(time); whole < hours(1)) {
    return two_units(whole.count(), 60, "min", "s");
  }
  if (const auto whole = round<minutes>(time); whole < hours(24)) {
    return two_units(whole.count(), 60, "h", "min");
  }
  return two_units(round<hours>(time).count(), 24, "d", "h");
}

std::string bytes(std::uint64_t size) {
  constexpr std::array<std::string_view, 6> units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (size < 1024) return fmt::format("{} B", size);
  double scaled = static_cast<double>(size) / 1024;
  std::size_t unit = 0;
  for (; scaled >= 1023.95 && unit + 1 < units.size(); ++unit) scaled /= 1024;
  return fmt::format("{:.1f} {}", scaled, units.at(unit));
}

std::string ranges(std::span<const std::uint32_t> ascending, std::string_view separator) {
  return list(ascending, separator, std::string::npos);
}

std::string ranges_within(std::span<const std::uint32_t> ascending, std::size_t columns) {
  return list(ascending, ",", columns);
}

std::string ranges_within(const std::set<std::uint32_t>& ascending, std::size_t columns) {
  return list(ascending, ",", columns);
}

std::string ranks(std::span<const std::uint32_t> ascending, std::string_view separator) {
  return fmt::format("{} {}", plural(ascending.size(), "rank"), ranges(ascending, separator));
}

}  // namespace muster::text
