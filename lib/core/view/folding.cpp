#include "core/view/folding.hpp"

#include <algorithm>
#include <utility>

namespace muster::view {
namespace {

std::string key_of(Stream stream, const std::string& text) {
  return static_cast<char>(stream) + text;
}

}  // namespace

void Folding::add(const Source& source, std::string text, Time now) {
  auto& next = next_[source.rank];
  const auto& numbers = numbers_[key_of(source.stream, text)];
  const auto found = std::ranges::lower_bound(numbers, next);
  if (found != numbers.end()) {
    next = *found + 1;
    waiting_[*found - taken_].line.ranks.insert(source.rank);
    return;
  }
  next = taken_ + waiting_.size() + 1;
  append({.stream = source.stream, .text = std::move(text), .ranks = {source.rank}}, now);
}

void Folding::add_own(std::string text, Time now) {
  append({.stream = Stream::err, .text = std::move(text), .ranks = {}}, now);
}

void Folding::append(FoldedLine line, Time now) {
  if (!line.ranks.empty()) {
    numbers_[key_of(line.stream, line.text)].push_back(taken_ + waiting_.size());
  }
  bytes_ += line.text.size();
  waiting_.push_back({std::move(line), now});
}

bool Folding::is_due(const Waiting& waiting, Time now) const {
  const auto ranks = waiting.line.ranks.size();
  return ranks == 0 || ranks >= ranks_ || waiting.since + moment <= now;
}

std::optional<Folding::Time> Folding::next() const {
  if (waiting_.empty()) return std::nullopt;
  return waiting_.front().since + moment;
}

std::vector<FoldedLine> Folding::take(Time now) {
  std::vector<FoldedLine> lines;
  while (!waiting_.empty() &&
         (is_due(waiting_.front(), now) || waiting_.size() > max_lines || bytes_ > max_bytes)) {
    lines.push_back(take_first());
  }
  return lines;
}

std::vector<FoldedLine> Folding::take_all() {
  std::vector<FoldedLine> lines;
  while (!waiting_.empty()) lines.push_back(take_first());
  return lines;
}

FoldedLine Folding::take_first() {
  auto line = std::move(waiting_.front().line);
  waiting_.pop_front();
  ++taken_;
  bytes_ -= line.text.size();
  if (const auto found = numbers_.find(key_of(line.stream, line.text));
      !line.ranks.empty() && found != numbers_.end()) {
    found->second.pop_front();
    if (found->second.empty()) numbers_.erase(found);
  }
  return line;
}

}  // namespace muster::view
