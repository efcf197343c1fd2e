#include "launcher/supervisor/supervision/notices.hpp"

#include "core/text/quote.hpp"
#include "launcher/os/output.hpp"

#include <sstream>
#include <utility>

#include <poll.h>

namespace muster::supervision {

void Notices::show(const std::string& text) {
  const std::lock_guard lock(mutex_);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (full_ || shown_.contains(line)) continue;
    full_ = shown_.size() == max_lines;
    if (full_) {
      add(text::Severity::hint, "the nodes sent more messages, which are not shown");
    } else {
      const auto message = text::message_from(line).value_or(
          text::Message{.severity = text::Severity::warning, .text = line});
      add(message.severity, message.text);
    }
    shown_.insert(std::move(line));
  }
  write_what_fits();
}

void Notices::insist(text::Severity severity, const std::string& line) {
  const std::lock_guard lock(mutex_);
  add(severity, line);
  write_what_fits();
}

void Notices::add(text::Severity severity, const std::string& line) {
  waiting_.push_back(text::to_line(severity, text::printable_path(line), os::wants_color(stream_)));
}

void Notices::write_what_fits() {
  while (!waiting_.empty() && stream_takes()) write_next();
}

void Notices::finish() {
  const std::lock_guard lock(mutex_);
  while (!waiting_.empty()) write_next();
}

// A pipe that is ready accepts a whole line. A terminal that is stopped is not ready.
bool Notices::stream_takes() const {
  pollfd stream{fileno(stream_), POLLOUT, 0};
  return poll(&stream, 1, 0) == 1;
}

void Notices::write_next() {
  if (before_) before_();
  std::fprintf(stream_, "%s\n", waiting_.front().c_str());
  std::fflush(stream_);
  waiting_.pop_front();
}

}  // namespace muster::supervision
