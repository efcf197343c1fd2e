#include "launcher/os/user_secret.hpp"

#include "core/error.hpp"
#include "launcher/os/descriptor.hpp"

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::os {
namespace {

namespace fs = std::filesystem;

std::string home_in_user_database() {
  std::array<char, 16384> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  const bool known =
      getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr;
  return known ? entry.pw_dir : "";
}

[[noreturn]] void fail(const std::string& path, int error) {
  throw Error(fmt::format("{}: {}; correct it, or name another by MUSTER_SECRET_FILE", path,
                          std::generic_category().message(error)));
}

[[noreturn]] void refuse(const std::string& path) {
  throw Error(fmt::format("{} is not a file of {} bytes that only uid {} can use; remove it", path,
                          user_secret_bytes, geteuid()));
}

bool is_ours_alone(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & ALLPERMS) == (S_IRUSR | S_IWUSR) &&
         status.st_size == static_cast<off_t>(user_secret_bytes);
}

// Nothing if there is no such file.
std::optional<UserSecret> read_secret(const std::string& path) {
  const Descriptor file(
      open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::nullopt;
  if (!file && errno == ELOOP) refuse(path);
  if (!file) fail(path, errno);
  UserSecret secret;
  const auto size = static_cast<ssize_t>(secret.bytes.size());
  const bool whole = is_ours_alone(file.get()) &&
                     read(file.get(), secret.bytes.data(), secret.bytes.size()) == size;
  if (!whole) refuse(path);
  return secret;
}

// Existing directories stay as they are.
void ensure_directories(const fs::path& directory) {
  if (directory.empty() || fs::exists(directory)) return;
  ensure_directories(directory.parent_path());
  if (mkdir(directory.c_str(), S_IRWXU) != 0 && errno != EEXIST) fail(directory.string(), errno);
}

// A temporary file in the target's directory; removed with this value.
class Draft {
 public:
  explicit Draft(const std::string& path) : path_(path + ".XXXXXX") {
    file_ = Descriptor(mkostemp(path_.data(), O_CLOEXEC));  // mode 0600
    if (!file_) fail(path, errno);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() { unlink(path_.c_str()); }

  void write(const UserSecret& secret) {
    errno = 0;
    const auto size = static_cast<ssize_t>(secret.bytes.size());
    const bool whole = ::write(file_.get(), secret.bytes.data(), secret.bytes.size()) == size &&
                       fchmod(file_.get(), S_IRUSR | S_IWUSR) == 0 && fsync(file_.get()) == 0;
    if (!whole) fail(path_, errno == 0 ? ENOSPC : errno);
    file_ = Descriptor();  // other nodes see a file once it is closed
  }

  // The first writer keeps the name: unlike rename(), link() replaces nothing.
  void publish(const std::string& path) const {
    if (link(path_.c_str(), path.c_str()) != 0 && errno != EEXIST) fail(path, errno);
  }

 private:
  std::string path_;
  Descriptor file_;
};

void make_secret(const std::string& path) {
  if (sodium_init() < 0) throw Error("libsodium found no source of random numbers; is /dev there?");
  UserSecret secret;
  randombytes_buf(secret.bytes.data(), secret.bytes.size());
  ensure_directories(fs::path(path).parent_path());
  Draft draft(path);
  draft.write(secret);
  draft.publish(path);
}

}  // namespace

std::string user_secret_path(const Environment& environment) {
  const auto& named = environment.get("MUSTER_SECRET_FILE");
  if (!named.empty()) return named;
  const auto& state = environment.get("XDG_STATE_HOME");
  if (state.starts_with('/')) return state + "/muster/secret";
  const auto home =
      environment.contains("HOME") ? environment.get("HOME") : home_in_user_database();
  return home.starts_with('/') ? home + "/.local/state/muster/secret" : std::string();
}

UserSecret user_secret(const std::string& path) {
  if (path.empty()) {
    throw Error("there is no directory for your secret; export HOME or MUSTER_SECRET_FILE");
  }
  if (const auto known = read_secret(path)) return *known;
  make_secret(path);
  if (const auto made = read_secret(path)) return *made;
  fail(path, ENOENT);
}

}  // namespace muster::os
