#include "launcher/os/left_bytes.hpp"

#include "core/error.hpp"
#include "core/text/number.hpp"
#include "launcher/os/descriptor.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace muster::os {

std::string leave_bytes(const char* variable, const std::string& bytes) {
  const int file = memfd_create(variable, 0);  // stays open in the next program
  if (file < 0 || write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    throw Error(
        fmt::format("cannot keep {} bytes in memory: {}", bytes.size(), std::strerror(errno)));
  }
  return fmt::format("{}={}", variable, file);
}

std::optional<std::string> take_bytes(const char* variable, std::size_t max_bytes) {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  const Descriptor file(text::number<int>(value).value_or(-1));
  unsetenv(variable);
  std::string bytes;
  std::array<char, 65536> chunk{};
  off_t at = 0;
  for (ssize_t size = 0; (size = pread(file.get(), chunk.data(), chunk.size(), at)) > 0;
       at += size) {
    bytes.append(chunk.data(), static_cast<std::size_t>(size));
    if (bytes.size() > max_bytes) break;
  }
  return bytes;
}

}  // namespace muster::os
