#include "core/view/lines.hpp"

#include "core/text/quote.hpp"

#include <algorithm>
#include <utility>

namespace muster::view {
namespace {

constexpr std::size_t max_character_bytes = 4;

// Never cuts a character in two.
std::size_t part_size(std::string_view line) {
  for (std::size_t back = 0; back < max_character_bytes; ++back) {
    if (text::starts_character(line[line.size() - 1 - back])) {
      const bool whole = text::character_length(line.substr(line.size() - 1 - back)) != 0;
      return whole ? line.size() : line.size() - 1 - back;
    }
  }
  return line.size();
}

}  // namespace

void Lines::add(std::string_view bytes, Time now, const TakeLine& take) {
  while (!bytes.empty()) {
    if (line_.empty()) begun_ = now;
    const auto end = bytes.find_first_of("\r\n");
    append(bytes.substr(0, end), take);
    if (end == std::string_view::npos) break;
    if (bytes[end] == '\n') {
      end_line(take);
    } else {
      returned_ = true;
    }
    bytes.remove_prefix(end + 1);
  }
  changed_ = now;
}

void Lines::append(std::string_view text, const TakeLine& take) {
  if (text.empty()) return;
  if (std::exchange(returned_, false)) line_.clear();
  while (!text.empty()) {
    const auto part = text.substr(0, max_line_bytes - line_.size());
    line_.append(part);
    text.remove_prefix(part.size());
    if (line_.size() < max_line_bytes) return;
    auto rest = line_.substr(part_size(line_));
    line_.resize(line_.size() - rest.size());
    show_unfinished(take);
    line_ = std::move(rest);
  }
}

void Lines::end_line(const TakeLine& take) {
  returned_ = false;
  const bool nothing_new = std::exchange(shown_, false) && line_.empty();
  if (!nothing_new) take(std::exchange(line_, {}));
}

void Lines::show_unfinished(const TakeLine& take) {
  take(std::exchange(line_, {}));
  shown_ = true;
}

std::optional<Lines::Time> Lines::next() const {
  if (line_.empty()) return std::nullopt;
  return std::min(changed_ + time_at_rest, begun_ + time_in_motion);
}

void Lines::look(Time now, const TakeLine& take) {
  const auto due = next();
  if (due && *due <= now) show_unfinished(take);
}

void Lines::finish(const TakeLine& take) {
  if (!line_.empty()) show_unfinished(take);
}

}  // namespace muster::view
