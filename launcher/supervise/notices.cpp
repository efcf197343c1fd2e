#include "launcher/supervise/notices.hpp"

#include "core/text/quote.hpp"

#include <sstream>

namespace muster::supervise {

void Notices::show(const std::string& text) {
  const std::lock_guard lock(mutex_);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (full_ || shown_.contains(line)) continue;
    full_ = shown_.size() == max_lines;
    std::fprintf(stream_, "muster: %s\n",
                 full_ ? "there is more of this kind on the nodes; it is not shown"
                       : text::printable_path(line).c_str());
    shown_.insert(std::move(line));
  }
}

}  // namespace muster::supervise
