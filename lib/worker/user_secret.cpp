#include "worker/user_secret.hpp"

#include "worker/error.hpp"

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
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::worker {
namespace {

namespace fs = std::filesystem;

// NFS may hide a file that another node has just made.
constexpr int max_attempts = 20;
constexpr std::chrono::milliseconds retry_interval{100};

[[noreturn]] void refuse(const std::string& what) {
  throw Error{
      MUSTER_ERR_ENVIRONMENT,
      "no key for the exchange between the ranks: " + what +
          ", or set MUSTER_EXCHANGE_KEY to the same 64 hexadecimal digits on all ranks (set "
          "but empty: no key)"};
}

[[noreturn]] void refuse(const std::string& path, int error) {
  refuse(path + ": " + std::generic_category().message(error) +
         "; name a file that can be written in MUSTER_SECRET_FILE");
}

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(); }
  int fd() const { return fd_; }
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
         status.st_size == static_cast<off_t>(UserSecret{}.size());
}

// Nothing if there is no such file.
std::optional<UserSecret> read_secret(const std::string& path) {
  const File file{open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  if (!file && errno == ENOENT) return std::nullopt;
  if (!file && errno != ELOOP) refuse(path, errno);
  UserSecret secret{};
  const bool whole =
      file && is_private(file.fd()) &&
      read(file.fd(), secret.data(), secret.size()) == static_cast<ssize_t>(secret.size());
  if (whole) return secret;
  refuse(path + " is not a file of 32 bytes with mode 0600 that belongs to uid " +
         std::to_string(geteuid()) + "; remove it and it will be made again");
}

// Directories that exist stay as they are.
void make_directories(const fs::path& directory) {
  std::error_code ignored;
  if (directory.empty() || fs::exists(directory, ignored)) return;
  make_directories(directory.parent_path());
  if (mkdir(directory.c_str(), S_IRWXU) != 0 && errno != EEXIST) refuse(directory.string(), errno);
}

// A complete file under another name, which is gone at the end.
class Draft {
 public:
  explicit Draft(const std::string& path)
      : path_(path + ".XXXXXX"), file_(mkostemp(path_.data(), O_CLOEXEC)) {
    if (!file_) refuse(path, errno);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() { unlink(path_.c_str()); }

  void write(const UserSecret& secret) {
    errno = 0;
    const bool whole =
        ::write(file_.fd(), secret.data(), secret.size()) == static_cast<ssize_t>(secret.size()) &&
        fchmod(file_.fd(), S_IRUSR | S_IWUSR) == 0 && fsync(file_.fd()) == 0;
    if (!whole) refuse(path_, errno == 0 ? ENOSPC : errno);
    file_.close();  // so that other nodes see all of it
  }

  // Of several the first one stays: unlike rename(), link() replaces nothing.
  void publish(const std::string& path) const {
    if (link(path_.c_str(), path.c_str()) != 0 && errno != EEXIST) refuse(path, errno);
  }

 private:
  std::string path_;
  File file_;
};

void make_secret(const std::string& path) {
  if (sodium_init() < 0) {
    throw Error{MUSTER_ERR_INTERNAL, "libsodium found no source of random numbers: is /dev there?"};
  }
  UserSecret secret{};
  randombytes_buf(secret.data(), secret.size());
  make_directories(fs::path{path}.parent_path());
  Draft draft{path};
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

std::string user_secret_path(const Environment& environment) {
  if (environment.has("MUSTER_SECRET_FILE")) {
    return std::string{environment.get("MUSTER_SECRET_FILE")};
  }
  const auto state = environment.get("XDG_STATE_HOME");
  if (state.starts_with('/')) return std::string{state} + "/muster/secret";
  const auto home =
      environment.has("HOME") ? std::string{environment.get("HOME")} : home_in_user_database();
  return home.starts_with('/') ? home + "/.local/state/muster/secret" : "";
}

UserSecret user_secret(const std::string& path) {
  if (path.empty()) {
    refuse(
        "this user has no home directory to keep a secret in; name a file in MUSTER_SECRET_FILE");
  }
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(retry_interval);
    if (const auto known = read_secret(path)) return *known;
    make_secret(path);
    if (const auto made = read_secret(path)) return *made;
  }
  refuse(path, ENOENT);
}

}  // namespace muster::worker
