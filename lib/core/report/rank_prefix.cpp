#include "core/report/rank_prefix.hpp"

#include <cstddef>

namespace muster::report {
namespace {

// 0 if there is none.
std::size_t prefix_length(std::string_view line) {
  constexpr std::string_view begin = "[rank";
  constexpr std::string_view end = "]:";
  if (!line.starts_with(begin)) return 0;
  const auto digits_end = line.find_first_not_of("0123456789", begin.size());
  if (digits_end == begin.size() || digits_end == std::string_view::npos) return 0;
  return line.substr(digits_end).starts_with(end) ? digits_end + end.size() : 0;
}

}  // namespace

bool has_rank(std::string_view line) {
  return prefix_length(line) != 0;
}

std::string_view without_rank(std::string_view line) {
  const auto length = prefix_length(line);
  line.remove_prefix(length);
  if (length != 0 && line.starts_with(' ')) line.remove_prefix(1);
  return line;
}

}  // namespace muster::report
