#include "core/cost/losses.hpp"

#include <algorithm>
#include <limits>
#include <ranges>

namespace muster::cost {
namespace {

template <class Value>
Value median(std::vector<Value> values) {
  if (values.empty()) return Value{};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// How much time and how many steps usually lie between two marks.
struct Usual {
  Time gap{0};
  double increment = 0;
};

Usual usual_in(std::span<const Attempt> attempts) {
  std::vector<Time> gaps;
  std::vector<double> increments;
  for (const auto& attempt : attempts) {
    const auto& marks = attempt.progress.marks();
    const bool has_steps = attempt.progress.has_steps();
    for (std::size_t i = 1; i < std::min(marks.size(), first_marks); ++i) {
      gaps.push_back(marks[i].time - marks[i - 1].time);
      if (has_steps) increments.push_back(*marks[i].step - *marks[i - 1].step);
    }
  }
  return {median(std::move(gaps)), median(std::move(increments))};
}

// The time in which all ranks of an attempt ran, and its marks within that time.
struct Course {
  Time begin{0};  // all ranks ran
  Time end{0};
  bool has_steps = false;
  std::vector<Mark> marks = {};  // the first one: where the program's first step began

  [[nodiscard]] Time startup() const { return marks.front().time - begin; }
};

Course course_of(const Attempt& attempt, const Usual& usual) {
  const auto begin =
      std::max(bounded(attempt.all_started.value_or(attempt.ceased)), bounded(attempt.launched));
  Course course{.begin = begin,
                .end = std::max(begin, bounded(attempt.ceased)),
                .has_steps = attempt.progress.has_steps(),
                .marks = attempt.progress.marks()};
  if (course.marks.empty()) return course;
  auto first = course.marks.front();
  first.time -= usual.gap;
  if (first.step) first.step = std::max(*first.step - usual.increment, 0.0);
  course.marks.insert(course.marks.begin(), first);
  for (auto& mark : course.marks) mark.time = std::clamp(mark.time, course.begin, course.end);
  return course;
}

// When the attempt reached a step.
Time time_of(const Course& course, double step) {
  const auto after =
      std::ranges::find_if(course.marks, [step](const auto& m) { return *m.step >= step; });
  if (after == course.marks.begin()) return after->time;
  const auto before = std::prev(after);
  if (after == course.marks.end()) return before->time;
  const auto part = (step - *before->step) / (*after->step - *before->step);
  return before->time + std::chrono::duration_cast<Time>((after->time - before->time) * part);
}

Time end_of_kept_work(const Course& course, double resumed) {
  return course.has_steps ? time_of(course, resumed) : course.marks.back().time;
}

// How long an attempt took to its process group; no value if it did not get that far.
std::optional<Time> time_to_group(const Attempt& attempt) {
  if (!attempt.group || !attempt.all_started) return std::nullopt;
  const auto begin = std::max(bounded(*attempt.all_started), bounded(attempt.launched));
  return std::max(bounded(*attempt.group) - begin, Time(0));
}

// Without progress, all that is known of the program's start is that it trains in a process group. An
// attempt of which not even that is known has started for as long as usual.
std::vector<Loss> losses_by_group(std::span<const Attempt> attempts) {
  std::vector<Time> startups;
  for (const auto& attempt : attempts) {
    if (const auto startup = time_to_group(attempt)) startups.push_back(*startup);
  }
  std::vector<Loss> found(attempts.size());
  if (startups.empty()) return found;
  const auto usual_startup = median(startups);
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const auto course = course_of(attempts[i], {});
    found[i].startup =
        std::min(time_to_group(attempts[i]).value_or(usual_startup), course.end - course.begin);
  }
  return found;
}

}  // namespace

std::vector<Loss> losses(std::span<const Attempt> attempts) {
  const auto usual = usual_in(attempts);
  std::vector<Course> courses;
  std::vector<Time> startups;
  for (const auto& attempt : attempts) {
    const auto& course = courses.emplace_back(course_of(attempt, usual));
    if (!course.marks.empty()) startups.push_back(course.startup());
  }
  if (startups.empty()) return losses_by_group(attempts);
  std::vector<Loss> found(attempts.size());
  const auto usual_startup = median(startups);
  double resumed = std::numeric_limits<double>::infinity();  // where a later attempt began
  for (auto i = attempts.size(); i-- > 0;) {
    const auto& course = courses[i];
    const bool is_last = i + 1 == attempts.size();
    const bool is_still = course.marks.empty();  // ended before its first step
    found[i].startup =
        is_still ? std::min(usual_startup, course.end - course.begin) : course.startup();
    const auto begin = course.begin + *found[i].startup;
    const auto kept = is_still ? begin : end_of_kept_work(course, resumed);
    found[i].lost_work = is_last ? Time(0) : course.end - std::clamp(kept, begin, course.end);
    if (course.has_steps) resumed = std::min(resumed, *course.marks.front().step);
  }
  return found;
}

}  // namespace muster::cost
