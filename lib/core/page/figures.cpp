#include "core/page/figures.hpp"

#include "core/report/moments.hpp"
#include "core/report/screen.hpp"
#include "core/text/amounts.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace muster::page {
namespace {

std::string clock_and_date(std::chrono::system_clock::time_point time) {
  return report::utc_text(time, {});  // "2026-01-01T00:00:00.123Z"
}

}  // namespace

std::string short_duration(std::chrono::nanoseconds duration) {
  if (std::chrono::abs(duration) >= std::chrono::milliseconds(10)) return text::duration(duration);
  return fmt::format("{:.1f} ms", std::chrono::duration<double, std::milli>(duration).count());
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
                     date_text(time), text::duration(after));
}

}  // namespace muster::page
