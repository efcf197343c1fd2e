#include "launcher/agent/ranks/error_file.hpp"

#include "core/report/error_file.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/detached_work.hpp"

#include <atomic>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::ranks {
namespace {

constexpr int max_standing_still = 4;

std::chrono::system_clock::time_point time_of(const timespec& time) {
  using std::chrono::system_clock;
  return system_clock::time_point(std::chrono::duration_cast<system_clock::duration>(
      std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec}));
}

// The file may grow or shrink in the meantime.
std::optional<std::string> read_all(int file, std::size_t size) {
  std::string text(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const auto got = pread(file, text.data() + have, size - have, static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return text;
}

std::optional<ErrorFile> read_now(const std::filesystem::path& path) {
  const os::Descriptor directory(
      open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) return std::nullopt;
  const os::Descriptor file(openat(directory.get(), path.filename().c_str(),
                                   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != geteuid() || status.st_size <= 0 ||
      status.st_size > static_cast<off_t>(report::max_error_file_bytes))
    return std::nullopt;
  auto text = read_all(file.get(), static_cast<std::size_t>(status.st_size));
  if (!text) return std::nullopt;
  return ErrorFile{std::move(*text), time_of(status.st_mtim)};
}

}  // namespace

// Each read that hangs costs its time limit and a thread, so after a few of them no more files are read.
std::optional<ErrorFile> read_error_file(const std::filesystem::path& path,
                                         std::chrono::milliseconds timeout) {
  static std::atomic<int> standing_still = 0;
  if (standing_still >= max_standing_still) return std::nullopt;
  auto file = os::start_detached([path] { return read_now(path); });
  if (!file.valid()) return std::nullopt;
  if (file.wait_for(timeout) == std::future_status::ready) return file.get();
  ++standing_still;
  return std::nullopt;
}

std::chrono::steady_clock::time_point monotonic(std::chrono::system_clock::time_point time,
                                                std::chrono::system_clock::time_point wall_now,
                                                std::chrono::steady_clock::time_point now) {
  return now - std::chrono::duration_cast<std::chrono::steady_clock::duration>(wall_now - time);
}

}  // namespace muster::ranks
