#include "launcher/os/small_file.hpp"

#include "launcher/os/descriptor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace muster::os {

std::string small_file(const std::filesystem::path& file, std::size_t max_bytes) {
  std::string text;
  const Descriptor descriptor(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!descriptor) return text;
  std::array<char, 4096> block{};  // most files are this short; the bound is for the longest
  while (text.size() < max_bytes) {
    const auto size =
        read(descriptor.get(), block.data(), std::min(block.size(), max_bytes - text.size()));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(block.data(), static_cast<std::size_t>(size));
  }
  return text;
}

}  // namespace muster::os
