#include "core/report/moments.hpp"

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

}  // namespace

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

std::string duration_text(nanoseconds duration) {
  const double seconds = seconds_of(duration);
  if (std::abs(seconds) < 1) return fmt::format("{:.0f} ms", seconds * 1000);
  return fmt::format("{:.{}f} s", seconds, std::abs(seconds) < 1000 ? 1 : 0);
}

}  // namespace muster::report
