#include "core/cost/attempt.hpp"

#include <algorithm>
#include <cstdint>

namespace muster::cost {
namespace {

// Drops every second mark after the first ones, but not the last.
void drop_half(std::vector<Mark>& marks) {
  std::size_t kept = first_marks;
  for (auto i = first_marks; i < marks.size(); ++i) {
    if ((i - first_marks) % 2 == 0 || i + 1 == marks.size()) marks[kept++] = marks[i];
  }
  marks.resize(kept);
}

}  // namespace

Time bounded(Time time) {
  constexpr Time limit{std::int64_t{1} << 61};
  return std::clamp(time, -limit, limit);
}

Progress::Progress(const std::vector<Mark>& marks) {
  for (const auto& mark : marks) add(mark);
}

void Progress::add(Mark mark) {
  if (!marks_.empty()) mark.time = std::max(mark.time, marks_.back().time);
  if (marks_.size() >= max_marks) drop_half(marks_);
  marks_.push_back(mark);
}

std::vector<Mark> Progress::thinned(std::size_t count) const {
  auto marks = marks_;
  while (marks.size() > std::max(count, first_marks + 1)) drop_half(marks);
  return marks;
}

bool Progress::has_steps() const {
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    if (!marks_[i].step) return false;
    if (i > 0 && *marks_[i].step < *marks_[i - 1].step) return false;
  }
  return !marks_.empty();
}

}  // namespace muster::cost
