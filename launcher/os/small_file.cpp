#include "launcher/os/small_file.hpp"

#include "launcher/os/descriptor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::os {
namespace {

constexpr std::size_t max_names = 4096;

// A file on a disk reports its size; growing the buffer step by step would touch its memory several times.
void make_room(std::string& text, int file, std::size_t max_bytes) {
  struct stat facts {};
  if (fstat(file, &facts) == 0 && facts.st_size > 0)
    text.reserve(std::min(static_cast<std::size_t>(facts.st_size), max_bytes));
}

}  // namespace

std::string small_file(const std::filesystem::path& file, std::size_t max_bytes) {
  std::string text;
  const Descriptor descriptor(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!descriptor) return text;
  std::array<char, 4096> block{};  // most files are shorter than this; the limit is for the longest
  while (text.size() < max_bytes) {
    const auto size =
        read(descriptor.get(), block.data(), std::min(block.size(), max_bytes - text.size()));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    if (text.size() == block.size()) make_room(text, descriptor.get(), max_bytes);
    text.append(block.data(), static_cast<std::size_t>(size));
  }
  return text;
}

std::string first_line(const std::filesystem::path& file, std::size_t max_bytes) {
  auto text = small_file(file, max_bytes);
  text.resize(std::min(text.find('\n'), text.size()));
  text.resize(text.find_last_not_of(" \t\r") + 1);
  return text;
}

std::vector<std::string> names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end;
       !error && entry != end && names.size() < max_names; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace muster::os
