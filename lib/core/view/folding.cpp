#include "core/view/folding.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace muster::view {
namespace {

// Stands for lines of muster's own.
constexpr std::uint32_t no_rank = std::numeric_limits<std::uint32_t>::max();

std::string key_of(Stream stream, const std::string& text) {
  return static_cast<char>(stream) + text;
}

}  // namespace

void Folding::add(const Source& source, std::string text, Time now) {
  ++holders_[key_of(source.stream, text)][source];
  bytes_ += text.size();
  ++count_;
  arrivals_.emplace_back(next_number_, source);
  lines_[source].push_back({next_number_++, now, std::move(text)});
}

void Folding::add_own(std::string text, Time now) {
  add({no_rank, Stream::err}, std::move(text), now);
}

// The oldest line is always the first of its source.
void Folding::drop_taken() {
  while (!arrivals_.empty()) {
    const auto& [number, source] = arrivals_.front();
    const auto& lines = lines_[source];
    if (!lines.empty() && lines.front().number == number) return;
    arrivals_.pop_front();
  }
}

bool Folding::is_due(Time now) const {
  const auto& source = arrivals_.front().second;
  const auto& line = lines_.at(source).front();
  if (source.rank == no_rank || count_ > max_lines || bytes_ > max_bytes) return true;
  return line.since + moment <= now ||
         holders_.at(key_of(source.stream, line.text)).size() >= ranks_;
}

std::optional<Folding::Time> Folding::next() const {
  if (arrivals_.empty()) return std::nullopt;
  return lines_.at(arrivals_.front().second).front().since + moment;
}

std::vector<FoldedLine> Folding::take(Time now) {
  std::vector<FoldedLine> lines;
  for (drop_taken(); !arrivals_.empty() && is_due(now); drop_taken()) take_first(lines);
  return lines;
}

std::vector<FoldedLine> Folding::take_all() {
  return take(Time::max());
}

// If another rank wrote something before the same line, that is shown first.
void Folding::take_first(std::vector<FoldedLine>& lines) {
  const auto source = arrivals_.front().second;
  const auto text = lines_.at(source).front().text;
  const auto holders = holders_.at(key_of(source.stream, text));
  for (const auto& [holder, times] : holders) {
    for (auto& waiting = lines_.at(holder); waiting.front().text != text;) {
      lines.push_back(fold_heads(source.stream, std::string(waiting.front().text)));
    }
  }
  lines.push_back(fold_heads(source.stream, text));
}

FoldedLine Folding::fold_heads(Stream stream, const std::string& text) {
  FoldedLine line{.stream = stream, .text = text, .ranks = {}};
  const auto holders = holders_.at(key_of(stream, text));
  for (const auto& [holder, times] : holders) {
    if (lines_.at(holder).front().text != text) continue;
    if (holder.rank != no_rank) line.ranks.insert(holder.rank);
    remove_head(holder);
  }
  return line;
}

void Folding::remove_head(const Source& source) {
  auto& lines = lines_.at(source);
  const auto holders = holders_.find(key_of(source.stream, lines.front().text));
  const auto holder = holders->second.find(source);
  if (--holder->second == 0) holders->second.erase(holder);
  if (holders->second.empty()) holders_.erase(holders);
  bytes_ -= lines.front().text.size();
  --count_;
  lines.pop_front();
}

}  // namespace muster::view
