#include "launcher/supervise/notices.hpp"

#include "core/text/quote.hpp"

#include <sstream>
#include <utility>

#include <poll.h>

namespace muster::supervise {

void Notices::show(const std::string& text) {
  const std::lock_guard lock(mutex_);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (full_ || shown_.contains(line)) continue;
    full_ = shown_.size() == max_lines;
    waiting_.push_back(full_ ? "there is more of this kind on the nodes; it is not shown"
                             : text::printable_path(line));
    shown_.insert(std::move(line));
  }
  write_what_fits();
}

void Notices::insist(const std::string& line) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(text::printable_path(line));
  write_what_fits();
}

void Notices::write_what_fits() {
  while (!waiting_.empty() && stream_takes()) write_next();
}

void Notices::finish() {
  const std::lock_guard lock(mutex_);
  while (!waiting_.empty()) write_next();
}

// A line goes whole into a pipe that says so, and a terminal that is stopped does not.
bool Notices::stream_takes() const {
  pollfd stream{fileno(stream_), POLLOUT, 0};
  return poll(&stream, 1, 0) == 1;
}

void Notices::write_next() {
  if (before_) before_();
  std::fprintf(stream_, "muster: %s\n", waiting_.front().c_str());
  std::fflush(stream_);
  waiting_.pop_front();
}

}  // namespace muster::supervise
