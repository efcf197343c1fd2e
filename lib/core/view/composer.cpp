#include "core/view/composer.hpp"

#include "core/text/message.hpp"
#include "core/view/harmless.hpp"

#include <algorithm>
#include <utility>

namespace muster::view {

Composer::Composer(Style style, std::size_t ranks_in_view, Screen screen, std::string role)
    : style_(std::move(style)),
      ranks_in_view_(ranks_in_view),
      screen_(screen),
      role_(std::move(role)) {
  folding_.set_ranks(ranks_in_view);
}

void Composer::add(const Source& source, std::string_view bytes, Time now) {
  if (bytes.empty()) return;
  if (style_.raw) {
    open_[source.stream] = bytes.back() != '\n';
    write(source.stream, bytes);
    return;
  }
  lines_[source].add(bytes, now, [&](const auto& line) { add_line(source, line, now); });
}

void Composer::add_line(const Source& source, const std::string& line, Time now) {
  auto shown = harmless(line);
  if (style_.prefix == Prefix::none) {
    write(source.stream, shown + "\n");
  } else {
    folding_.add(source, std::move(shown), now);
  }
}

void Composer::say(const std::string& line, Time now) {
  const auto whole = text::to_line(text::Severity::warning, line, screen_.colour_err);
  if (!style_.raw && style_.prefix != Prefix::none) return folding_.add_own(whole, now);
  end_open_lines();
  write(Stream::err, whole + "\n");
}

// Standard output stays as the program wrote it, unless it goes to the same terminal.
void Composer::end_open_lines() {
  const bool out = std::exchange(open_[Stream::out], false) && screen_.terminal;
  const bool err = std::exchange(open_[Stream::err], false);
  if (out || err) write(Stream::err, "\n");
}

void Composer::write(const FoldedLine& line) {
  const bool colour = line.stream == Stream::out ? screen_.colour_out : screen_.colour_err;
  if (!style_.line_template.empty() && !line.ranks.empty()) {
    for (const auto rank : line.ranks) {
      const auto prefix = template_text(style_.line_template, rank, role_);
      write(line.stream, (colour ? coloured(prefix, {rank}) : prefix) + line.text + "\n");
    }
    return;
  }
  auto prefix = prefix_text(style_.prefix, line.ranks, ranks_in_view_, nodes_);
  if (colour) prefix = coloured(prefix, line.ranks);
  write(line.stream, prefix + line.text + "\n");
}

void Composer::write(Stream stream, std::string_view bytes) {
  if (ready_.empty() || ready_.back().stream != stream) ready_.push_back({stream, {}});
  ready_.back().bytes += bytes;
}

std::vector<ScreenText> Composer::take(Time now) {
  for (auto& [source, lines] : lines_) {
    lines.look(now, [&](const auto& line) { add_line(source, line, now); });
  }
  for (const auto& line : folding_.take(now)) write(line);
  return std::exchange(ready_, {});
}

std::optional<Composer::Time> Composer::next() const {
  auto next = folding_.next();
  for (const auto& [source, lines] : lines_) {
    const auto due = lines.next();
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

std::vector<ScreenText> Composer::finish(bool own_line) {
  for (auto& [source, lines] : lines_) {
    // Show it immediately.
    lines.finish([&](const auto& line) { add_line(source, line, Time::min()); });
  }
  for (const auto& line : folding_.take_all()) write(line);
  if (own_line) end_open_lines();
  return std::exchange(ready_, {});
}

}  // namespace muster::view
