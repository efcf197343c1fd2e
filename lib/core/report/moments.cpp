#include "core/report/moments.hpp"

#include "core/text/number.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace muster::report {
namespace {

using std::chrono::nanoseconds;

nanoseconds saturated_sum(nanoseconds left, nanoseconds right) {
  nanoseconds::rep sum = 0;
  if (!__builtin_add_overflow(left.count(), right.count(), &sum)) return nanoseconds(sum);
  return left.count() < 0 ? nanoseconds::min() : nanoseconds::max();
}

struct Clock {
  std::chrono::year_month_day date;
  std::chrono::hh_mm_ss<std::chrono::milliseconds> time;
};

Clock clock_at(std::chrono::system_clock::time_point wall_start, const Moment& moment,
               std::chrono::seconds utc_offset) {
  using std::chrono::floor;
  using std::chrono::milliseconds;
  const auto time = floor<milliseconds>(wall_start) + floor<milliseconds>(moment.time) + utc_offset;
  const auto day = floor<std::chrono::days>(time);
  return {std::chrono::year_month_day(day), std::chrono::hh_mm_ss(time - day)};
}

std::string clock_text(const Clock& clock, char between_date_and_time) {
  const auto& [date, time] = clock;
  return fmt::format("{:04}-{:02}-{:02}{}{:02}:{:02}:{:02}.{:03}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     between_date_and_time, time.hours().count(), time.minutes().count(),
                     time.seconds().count(), time.subseconds().count());
}

// "2026-01-01T00:00:00.123Z": the digits, and the characters between them.
struct Digits {
  std::size_t at;
  std::size_t count;
  int max;
};
constexpr std::array utc_digits{Digits{0, 4, 2261}, Digits{5, 2, 12},  Digits{8, 2, 31},
                                Digits{11, 2, 23},  Digits{14, 2, 59}, Digits{17, 2, 60},
                                Digits{20, 3, 999}};
constexpr std::string_view utc_form = "0000-00-00T00:00:00.000Z";

bool has_utc_form(std::string_view text) {
  if (text.size() != utc_form.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (utc_form[i] == '0' ? !digit : text[i] != utc_form[i]) return false;
  }
  return true;
}

}  // namespace

std::optional<std::chrono::system_clock::time_point> wall_time(std::string_view utc) {
  if (!has_utc_form(utc)) return std::nullopt;
  std::array<int, utc_digits.size()> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& [at, count, max] = utc_digits.at(i);
    parts.at(i) = text::number<int>(utc.substr(at, count)).value_or(0);
    if (parts.at(i) > max) return std::nullopt;
  }
  const auto [year, month, day, hour, minute, second, millisecond] = parts;
  const auto date = std::chrono::year(year) / month / day;
  if (year < 1970 || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second) + std::chrono::milliseconds(millisecond);
}

nanoseconds between(const Moment& earlier, const Moment& later) {
  nanoseconds::rep difference = 0;
  if (!__builtin_sub_overflow(later.time.count(), earlier.time.count(), &difference)) {
    return nanoseconds(difference);
  }
  return later.time < earlier.time ? nanoseconds::min() : nanoseconds::max();
}

Moment later_by(Moment moment, nanoseconds duration) {
  return {saturated_sum(moment.time, duration), moment.error};
}

bool surely_before(const Moment& earlier, const Moment& later) {
  return between(earlier, later) > saturated_sum(earlier.error, later.error);
}

std::string utc_text(std::chrono::system_clock::time_point wall_start, const Moment& moment) {
  return clock_text(clock_at(wall_start, moment, std::chrono::seconds(0)), 'T') + "Z";
}

std::string local_text(std::chrono::system_clock::time_point wall_start, const Moment& moment,
                       std::chrono::seconds utc_offset) {
  return clock_text(clock_at(wall_start, moment, utc_offset), '_');
}

double seconds_of(nanoseconds duration) {
  return std::round(std::chrono::duration<double, std::milli>(duration).count()) / 1000;
}

}  // namespace muster::report
