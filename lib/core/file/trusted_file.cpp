#include "core/file/trusted_file.hpp"

#include "core/contains.hpp"
#include "core/file/refusal.hpp"
#include "core/text/list.hpp"

#include <algorithm>
#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::file {
namespace {

class Descriptor {
 public:
  // O_NONBLOCK: a FIFO instead of the file must not block open().
  explicit Descriptor(const std::string& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

void check_trust(const std::string& path, const struct stat& status, const Trust& trust) {
  if (trust.any_owner) return;
  if (!contains(trust.owners, status.st_uid)) {
    throw refused(path, fmt::format("its owner, uid {}, is not trusted", status.st_uid),
                  fmt::format("change its owner to uid {}", text::join(trust.owners, " or ")));
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    throw refused(path, "its group or other users can write to it", "run chmod go-w on it");
  }
}

void check_kind(const std::string& path, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) throw refused(path, "not a regular file", "use a regular file");
}

Error too_large(const std::string& path, std::size_t max_bytes) {
  return refused(path, fmt::format("larger than {} bytes", max_bytes), "shorten it");
}

// The file may grow while it is read, so the bound applies to the bytes read, not to st_size.
std::string read_all(const std::string& path, int fd, std::size_t max_bytes) {
  // Larger than most files, but small: every byte is zeroed first.
  constexpr std::size_t block = 4096;
  std::string content;
  std::size_t size = 0;
  while (size <= max_bytes) {
    content.resize(std::min(size + block, max_bytes + 1));
    const ssize_t count = ::read(fd, content.data() + size, content.size() - size);
    if (count == 0) break;
    if (count < 0 && errno != EINTR) throw unreadable(path, errno);
    if (count > 0) size += static_cast<std::size_t>(count);
  }
  if (size > max_bytes) throw too_large(path, max_bytes);
  content.resize(size);
  return content;
}

}  // namespace

std::optional<std::string> read_trusted_file(const std::string& path, const Trust& trust,
                                             std::size_t max_bytes) {
  const Descriptor file(path);
  if (!file.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    throw unreadable(path, errno);
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw unreadable(path, errno);
  check_kind(path, status);
  check_trust(path, status, trust);
  if (status.st_size > static_cast<off_t>(max_bytes)) throw too_large(path, max_bytes);
  return read_all(path, file.get(), max_bytes);
}

}  // namespace muster::file
