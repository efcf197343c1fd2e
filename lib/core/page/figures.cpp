#include "core/page/figures.hpp"

#include "core/report/moments.hpp"
#include "core/report/screen.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace muster::page {
namespace {

std::string clock_and_date(std::chrono::system_clock::time_point time) {
  return report::utc_text(time, {});  // "2026-01-01T00:00:00.123Z"
}

// 123 s as "2 min 3 s", 120 s as "2 min".
std::string two_units(std::int64_t count, std::int64_t per_large, std::string_view large,
                      std::string_view small) {
  const auto rest = count % per_large;
  return fmt::format("{} {}{}", count / per_large, large,
                     rest == 0 ? "" : fmt::format(" {} {}", rest, small));
}

}  // namespace

std::string span_text(std::chrono::nanoseconds duration) {
  using namespace std::chrono;
  if (duration < minutes(1)) return report::duration_text(duration);
  if (duration < hours(1)) return two_units(round<seconds>(duration).count(), 60, "min", "s");
  if (duration < hours(24)) return two_units(round<minutes>(duration).count(), 60, "h", "min");
  return two_units(round<hours>(duration).count(), 24, "d", "h");
}

std::string short_span_text(std::chrono::nanoseconds duration) {
  if (std::chrono::abs(duration) >= std::chrono::milliseconds(10)) return span_text(duration);
  return fmt::format("{:.1f} ms", std::chrono::duration<double, std::milli>(duration).count());
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 6> units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes == 0) return "0";
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; size >= 1023.95 && unit + 1 < units.size(); ++unit) size /= 1024;
  return fmt::format("{:.1f} {}", size, units.at(unit));
}

double share_of(std::chrono::nanoseconds part, std::chrono::nanoseconds all) {
  if (all.count() <= 0) return 0;
  return static_cast<double>(part.count()) / static_cast<double>(all.count());
}

std::string share_text(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

std::string date_text(std::chrono::system_clock::time_point time) {
  auto text = clock_and_date(time).substr(0, 19);
  text[10] = ' ';
  return text + " UTC";
}

std::string clock_text(std::chrono::system_clock::time_point time) {
  return clock_and_date(time).substr(11, 8);
}

std::string moment_text(std::chrono::system_clock::time_point time,
                        std::chrono::nanoseconds after) {
  return fmt::format("<span class='when'>{},</span> <span class='when'>{} after the launch</span>",
                     date_text(time), span_text(after));
}

std::string ranks_text(std::span<const std::uint32_t> ascending) {
  std::string text;
  for (const char each : report::rank_list(ascending, std::string::npos)) {
    text += each;
    if (each == ',') text += ' ';
  }
  return text;
}

std::string named_ranks_text(std::span<const std::uint32_t> ascending) {
  return fmt::format("rank{} {}", ascending.size() == 1 ? "" : "s", ranks_text(ascending));
}

}  // namespace muster::page
