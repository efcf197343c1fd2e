// Makes text that another process has sent fit for one line of a message.
#pragma once

#include <algorithm>
#include <string>

namespace muster::worker {

inline std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char letter) { return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f'; },
      ' ');
  return text;
}

}  // namespace muster::worker
