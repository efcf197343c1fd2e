// How much a field may hold. A text or a list without a limit does not compile, nor does a duration: only
// numbers have one by their type. A reader refuses what is beyond a limit.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace muster::record {

// Bytes of a text, which may be any, or items of a list. The writer does not shorten either: for what must
// arrive as it is, or not at all.
struct Max {
  std::size_t size;
};

// Of a text, which becomes UTF-8, or of a list: the writer keeps as much of the beginning as fits.
struct First {
  std::size_t size;
};

// The same for the end.
struct Last {
  std::size_t size;
};

// As First, for a text without control characters: the writer makes spaces of them.
struct Line {
  std::size_t size;
};

// A number or a duration.
template <class Number>
struct Range {
  Number least;
  Number most;
};
template <class Least, class Most>
Range(Least, Most) -> Range<std::common_type_t<Least, Most>>;

// As Range; the writer takes the nearest number inside.
template <class Number>
struct Clamp {
  Number least;
  Number most;
};
template <class Least, class Most>
Clamp(Least, Most) -> Clamp<std::common_type_t<Least, Most>>;

// A time that is not this long is damaged; sums and differences of two fit into nanoseconds.
inline constexpr std::chrono::hours max_time{24 * 365 * 100};

// The type's own, for the numbers and the structs in a map.
struct Any {};

// What the writer makes of a text. Bytes that are not UTF-8 become U+FFFD.
inline std::string_view fitting(std::string_view text, Max /*limit*/) {
  return text;
}
std::string fitting(std::string_view text, First limit);
std::string fitting(std::string_view text, Last limit);
std::string fitting(std::string_view text, Line limit);

// Whether the writer can have written it.
inline bool fits(std::string_view text, Max limit) {
  return text.size() <= limit.size;
}
bool fits(std::string_view text, First limit);
bool fits(std::string_view text, Last limit);
bool fits(std::string_view text, Line limit);

}  // namespace muster::record
