#include "secret/user_secret.hpp"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::secret {
namespace {

namespace fs = std::filesystem;

// NFS may hide a file that another node has just created.
constexpr int max_attempts = 20;
constexpr std::chrono::milliseconds retry_interval{100};

[[noreturn]] void fail(const std::string& path, int error) {
  throw Error(path + ": " + std::generic_category().message(error) +
              "; correct it, or name another file in MUSTER_SECRET_FILE");
}

[[noreturn]] void refuse(const std::string& path) {
  throw Error(path + " is not a " + std::to_string(key_bytes) +
              "-byte file with mode 0600 that belongs to uid " + std::to_string(geteuid()) +
              "; remove it, and muster will make a new one");
}

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(); }
  [[nodiscard]] int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

bool is_private(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & ALLPERMS) == (S_IRUSR | S_IWUSR) &&
         status.st_size == static_cast<off_t>(key_bytes);
}

// No value if there is no such file.
std::optional<Key> read_secret(const std::string& path) {
  const File file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::nullopt;
  if (!file && errno != ELOOP) fail(path, errno);
  Key secret;
  const bool whole =
      file && is_private(file.fd()) &&
      read(file.fd(), secret.data(), secret.size()) == static_cast<ssize_t>(secret.size());
  if (!whole) refuse(path);
  return secret;
}

// Leaves existing directories as they are.
void make_directories(const fs::path& directory) {
  std::error_code ignored;
  if (directory.empty() || fs::exists(directory, ignored)) return;
  make_directories(directory.parent_path());
  if (mkdir(directory.c_str(), S_IRWXU) != 0 && errno != EEXIST) fail(directory.string(), errno);
}

// A complete file under a temporary name, which is removed together with this object.
class Draft {
 public:
  explicit Draft(const std::string& path)
      : path_(path + ".XXXXXX"), file_(mkostemp(path_.data(), O_CLOEXEC)) {
    if (!file_) fail(path, errno);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() { unlink(path_.c_str()); }

  void write(const Key& secret) {
    errno = 0;
    const bool whole =
        ::write(file_.fd(), secret.data(), secret.size()) == static_cast<ssize_t>(secret.size()) &&
        fchmod(file_.fd(), S_IRUSR | S_IWUSR) == 0 && fsync(file_.fd()) == 0;
    if (!whole) fail(path_, errno == 0 ? ENOSPC : errno);
    file_.close();  // other nodes see a file once it is closed
  }

  // The first writer wins: unlike rename(), link() replaces nothing.
  void publish(const std::string& path) const {
    if (link(path_.c_str(), path.c_str()) != 0 && errno != EEXIST) fail(path, errno);
  }

 private:
  std::string path_;
  File file_;
};

void make_secret(const std::string& path) {
  const auto secret = make_key();
  make_directories(fs::path(path).parent_path());
  Draft draft(path);
  draft.write(secret);
  draft.publish(path);
}

std::string home_in_user_database() {
  constexpr std::size_t max_entry_bytes = 65536;
  std::vector<char> buffer(max_entry_bytes);
  passwd entry{};
  passwd* found = nullptr;
  const bool known =
      getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr;
  return known ? entry.pw_dir : "";
}

}  // namespace

std::string state_directory(const Variable& variable) {
  const auto state = variable("XDG_STATE_HOME");
  if (state.starts_with('/')) return state + "/muster";
  const auto named = variable("HOME");
  const auto home = named.empty() ? home_in_user_database() : named;
  return home.starts_with('/') ? home + "/.local/state/muster" : "";
}

std::string user_secret_path(const Variable& variable) {
  const auto named = variable("MUSTER_SECRET_FILE");
  if (!named.empty()) return named;
  const auto directory = state_directory(variable);
  return directory.empty() ? "" : directory + "/secret";
}

Key user_secret(const std::string& path) {
  if (path.empty()) {
    throw Error("no home directory to keep your secret in; export HOME or MUSTER_SECRET_FILE");
  }
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(retry_interval);
    if (const auto known = read_secret(path)) return *known;
    make_secret(path);
    if (const auto made = read_secret(path)) return *made;
  }
  fail(path, ENOENT);
}

}  // namespace muster::secret
