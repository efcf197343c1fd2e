// Works only on open descriptors, because a name can change hands between two calls.
#include "launcher/topology/cache/directory.hpp"

#include "core/text/quote.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <memory>
#include <system_error>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::topology::cache {
namespace {

constexpr off_t max_bytes = off_t{4} << 20;  // 128 cores with 16 devices need 4 KiB
constexpr std::size_t max_files = 16;
constexpr std::time_t abandoned_after = 60;  // seconds; a writer needs a millisecond
constexpr std::string_view ending = ".topology";
constexpr std::string_view unfinished = ".new-";

std::string reason(int number) {
  return std::generic_category().message(number);
}

struct stat status_of(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) status.st_uid = static_cast<uid_t>(-1);
  return status;
}

bool is_trusted(const struct stat& status) {
  const bool owner = status.st_uid == 0 || status.st_uid == geteuid();
  return owner && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// A limit on file size counts as a full disk and must not end the process.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal() : before_(std::signal(SIGXFSZ, SIG_IGN)) {}
  ~NoFileSizeSignal() { std::signal(SIGXFSZ, before_); }
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;
  NoFileSizeSignal& operator=(const NoFileSizeSignal&) = delete;

 private:
  void (*before_)(int);
};

bool write_all(int fd, std::string_view content) {
  const NoFileSizeSignal quiet;
  while (!content.empty()) {
    const ssize_t count = ::write(fd, content.data(), content.size());
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) content.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// Reads one byte more than expected in case the file has grown. The buffer has the file's size: zeroing one
// for the largest possible file would take a fifth of the agent's total time and half of its memory.
std::optional<std::string> read_all(int fd, off_t expected) {
  std::string content(static_cast<std::size_t>(expected) + 1, '\0');
  std::size_t size = 0;
  while (size < content.size()) {
    const ssize_t count = ::read(fd, content.data() + size, content.size() - size);
    if (count == 0) break;
    if (count < 0 && errno != EINTR) return std::nullopt;
    if (count > 0) size += static_cast<std::size_t>(count);
  }
  content.resize(size);
  return content;
}

struct Entry {
  std::string name;
  timespec written{};
};

std::vector<Entry> entries(int directory) {
  std::vector<Entry> found;
  const int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(again < 0 ? nullptr : fdopendir(again),
                                                   closedir);
  while (stream) {
    const auto* const entry = readdir(stream.get());  // NOLINT(concurrency-mt-unsafe): our own
    if (entry == nullptr) break;
    struct stat status {};
    if (fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0)
      found.push_back({entry->d_name, status.st_mtim});
  }
  return found;
}

bool before(const timespec& a, const timespec& b) {
  return std::pair(a.tv_sec, a.tv_nsec) < std::pair(b.tv_sec, b.tv_nsec);
}

}  // namespace

std::optional<CacheDirectory> CacheDirectory::open(const std::string& choice,
                                                   const std::vector<std::string>& bases,
                                                   std::vector<std::string>& notes) {
  if (choice == "off") return std::nullopt;
  if (choice != "auto") return of_site(choice, notes);
  for (const auto& base : bases)
    if (auto found = own(base, notes)) return found;
  return std::nullopt;
}

std::optional<CacheDirectory> CacheDirectory::own(const std::string& base,
                                                  std::vector<std::string>& notes) {
  auto path = fmt::format("{}/muster-cache-{}", base, geteuid());
  if (mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    notes.push_back(fmt::format("{}: cannot be created ({})", path, reason(errno)));
    return std::nullopt;
  }
  os::Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const auto status = status_of(directory.get());
  if (directory && status.st_uid == geteuid() && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0)
    return CacheDirectory(std::move(directory), std::move(path), true, false);
  notes.push_back(
      fmt::format("{}: not used, because it is not a directory that only uid {} can "
                  "access; remove it",
                  path, geteuid()));
  return std::nullopt;
}

std::optional<CacheDirectory> CacheDirectory::of_site(const std::string& path,
                                                      std::vector<std::string>& notes) {
  os::Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) {
    notes.push_back(fmt::format("{}: cannot be opened ({}); create it, or correct topology: cache",
                                text::printable_path(path), reason(errno)));
    return std::nullopt;
  }
  if (!is_trusted(status_of(directory.get()))) {
    notes.push_back(fmt::format(
        "{}: users other than root can write to it; run chown root and chmod go-w on it",
        text::printable_path(path)));
    return std::nullopt;
  }
  const bool ours = status_of(directory.get()).st_uid == geteuid();
  return CacheDirectory(std::move(directory), path, ours, true);
}

std::optional<std::string> CacheDirectory::read(const std::string& name,
                                                std::vector<std::string>& notes) const {
  const auto refuse = [&](std::string_view why) {
    notes.push_back(fmt::format("{}/{}: {}; not used", path_, name, why));
    return std::nullopt;
  };
  const auto file_name = name + std::string(ending);
  const os::Descriptor file(openat(directory_.get(), file_name.c_str(),
                                   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::nullopt;
  if (!file) return refuse(errno == ELOOP ? "is a link" : reason(errno));
  const auto status = status_of(file.get());
  if (!S_ISREG(status.st_mode)) return refuse("is not a regular file");
  if (!is_trusted(status))
    return refuse("a user other than root and the current one may have written it");
  if (status.st_size > max_bytes) return refuse("is too large");
  auto content = read_all(file.get(), status.st_size);
  if (!content || content->size() > static_cast<std::size_t>(status.st_size))
    return refuse("cannot be read");
  return content;
}

bool CacheDirectory::write(const std::string& name, std::string_view content,
                           std::vector<std::string>& notes) const {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto hidden = fmt::format("{}{}-{}", unfinished, getpid(), now.tv_nsec);
  const auto file_name = name + std::string(ending);
  const int fd = openat(directory_.get(), hidden.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  bool written = fd >= 0 && write_all(fd, content) &&
                 (!shared_ || fchmod(fd, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH) == 0);
  int why = errno;
  if (fd >= 0 && close(fd) != 0) written = false;
  if (written &&
      renameat(directory_.get(), hidden.c_str(), directory_.get(), file_name.c_str()) != 0) {
    why = errno;
    written = false;
  }
  if (written) return true;
  unlinkat(directory_.get(), hidden.c_str(), 0);
  notes.push_back(fmt::format("{}/{}: cannot be written ({})", path_, name, reason(why)));
  return false;
}

void CacheDirectory::clean_up(std::string_view keep) const {
  auto all = entries(directory_.get());
  const auto remove = [&](const Entry& entry) {
    unlinkat(directory_.get(), entry.name.c_str(), 0);
    return true;
  };
  const auto now = std::time(nullptr);
  std::erase_if(all, [&](const Entry& entry) {
    if (entry.name.starts_with(unfinished) && entry.written.tv_sec + abandoned_after < now)
      return remove(entry);
    if (!entry.name.ends_with(ending)) return true;
    return !entry.name.starts_with(keep) && remove(entry);
  });
  std::ranges::sort(all,
                    [](const Entry& a, const Entry& b) { return before(b.written, a.written); });
  for (std::size_t i = max_files; i < all.size(); ++i) remove(all[i]);
}

}  // namespace muster::topology::cache
