#include "launcher/os/own_command.hpp"

#include "launcher/os/small_file.hpp"

#include <algorithm>

namespace muster::os {

namespace {

// Texts that each end with a zero byte.
std::vector<std::string> texts_in(const char* file) {
  constexpr std::size_t max_bytes = std::size_t{4} << 20;
  const auto text = small_file(file, max_bytes);
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace

std::vector<std::string> own_command() {
  return texts_in("/proc/self/cmdline");
}

std::vector<std::string> first_environment() {
  return texts_in("/proc/self/environ");
}

}  // namespace muster::os
