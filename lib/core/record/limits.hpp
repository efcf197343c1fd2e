// How much a field may hold. A text, a list or a duration without a limit does not compile; only numbers may
// rely on the limits of their type. A reader refuses anything that exceeds a limit.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace muster::record {

// The size of a text, in bytes of any value, or of a list, in items. The writer shortens neither: use it for
// data that must arrive unchanged or not at all.
struct Max {
  std::size_t size;
};

// The size of a text, which becomes UTF-8, or of a list: the writer keeps as much of the beginning as fits.
struct First {
  std::size_t size;
};

// The same, but the writer keeps the end.
struct Last {
  std::size_t size;
};

// Like First, for a text without control characters: the writer replaces them with spaces.
struct Line {
  std::size_t size;
};

// Limits a number or a duration.
template <class Number>
struct Range {
  Number least;
  Number most;
};
template <class Least, class Most>
Range(Least, Most) -> Range<std::common_type_t<Least, Most>>;

// Like Range, but the writer takes the nearest number within the limits.
template <class Number>
struct Clamp {
  Number least;
  Number most;
};
template <class Least, class Most>
Clamp(Least, Most) -> Clamp<std::common_type_t<Least, Most>>;

// A longer time is corrupt; sums and differences of two such times fit into nanoseconds.
inline constexpr std::chrono::hours max_time{24 * 365 * 100};

// The limits of the type itself, for the numbers and the structs in a map.
struct Any {};

// The text as the writer sends it. Bytes that are not UTF-8 become U+FFFD.
inline std::string_view fitting(std::string_view text, Max /*limit*/) {
  return text;
}
std::string fitting(std::string_view text, First limit);
std::string fitting(std::string_view text, Last limit);
std::string fitting(std::string_view text, Line limit);

// Whether the writer can have written this text.
inline bool fits(std::string_view text, Max limit) {
  return text.size() <= limit.size;
}
bool fits(std::string_view text, First limit);
bool fits(std::string_view text, Last limit);
bool fits(std::string_view text, Line limit);

}  // namespace muster::record
