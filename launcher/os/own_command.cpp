#include "launcher/os/own_command.hpp"

#include "launcher/os/small_file.hpp"

#include <algorithm>

namespace muster::os {

std::vector<std::string> own_command() {
  constexpr std::size_t max_bytes = std::size_t{4} << 20;
  const auto text = small_file("/proc/self/cmdline", max_bytes);
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace muster::os
