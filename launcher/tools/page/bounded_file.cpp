#include "launcher/tools/page/bounded_file.hpp"

#include "launcher/os/descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::page {
namespace {

struct OpenFile {
  os::Descriptor descriptor;
  std::uint64_t size = 0;
  int error = 0;
};

OpenFile opened(const std::filesystem::path& file) {
  OpenFile result{
      os::Descriptor(open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)), 0, 0};
  struct stat status {};
  if (!result.descriptor || fstat(result.descriptor.get(), &status) != 0) {
    result.error = errno;
  } else if (!S_ISREG(status.st_mode)) {
    result.error = EINVAL;
  } else {
    result.size = static_cast<std::uint64_t>(status.st_size);
  }
  return result;
}

// The file may shrink while it is read.
int read_at(const OpenFile& file, std::uint64_t offset, std::string& text) {
  std::size_t size = 0;
  while (size < text.size()) {
    const auto got = pread(file.descriptor.get(), text.data() + size, text.size() - size,
                           static_cast<off_t>(offset + size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return 0;
}

}  // namespace

Content whole_file(const std::filesystem::path& file, std::size_t max_bytes) {
  const auto from = opened(file);
  Content content{.text = {}, .error = from.error};
  content.too_large = from.size > max_bytes;
  if (content.error != 0 || content.too_large) return content;
  content.text.resize(from.size);
  content.error = read_at(from, 0, content.text);
  return content;
}

std::string end_of_file(const std::filesystem::path& file, std::size_t max_bytes) {
  const auto from = opened(file);
  if (from.error != 0) return {};
  std::string text(std::min<std::uint64_t>(from.size, max_bytes), '\0');
  if (read_at(from, from.size - text.size(), text) != 0) return {};
  const auto line = text.find('\n');
  if (from.size > max_bytes && line != std::string::npos) text.erase(0, line + 1);
  return text;
}

}  // namespace muster::page
