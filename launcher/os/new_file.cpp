#include "launcher/os/new_file.hpp"

#include "launcher/os/descriptor.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::os {
namespace {

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// The umask is left to the kernel, because a process can read it only by changing it, for all its threads at
// once.
Descriptor make_beside(const std::string& file, mode_t mode, std::string& made) {
  constexpr int tries = 100;
  for (int i = 0; i < tries; ++i) {
    std::uint64_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) return Descriptor();
    made = fmt::format("{}.{:016x}", file, number);
    Descriptor descriptor(
        open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (descriptor || errno != EEXIST) return descriptor;
  }
  return Descriptor();
}

bool is_special(const std::string& file) {
  struct stat found {};
  return stat(file.c_str(), &found) == 0 && !S_ISREG(found.st_mode);
}

}  // namespace

int why_not_writable(const std::string& file) {
  if (is_special(file)) return EISDIR;
  const auto slash = file.rfind('/');
  const auto directory = slash == std::string::npos ? "." : file.substr(0, slash + 1);
  return access(directory.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
}

int write_new_file(const std::string& file, std::string_view text, mode_t mode) {
  if (is_special(file)) return EISDIR;
  std::string temporary;
  const auto made = make_beside(file, mode, temporary);
  if (!made) return errno;
  if (write_all(made.get(), text) && rename(temporary.c_str(), file.c_str()) == 0) return 0;
  const int error = errno;
  unlink(temporary.c_str());
  return error;
}

}  // namespace muster::os
