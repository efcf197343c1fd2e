#include "launcher/os/private_directory.hpp"

#include <cerrno>

#include <sys/stat.h>
#include <unistd.h>

namespace muster::os {

int make_directories(const std::filesystem::path& directory) {
  std::filesystem::path made;
  for (const auto& part : directory) {
    made /= part;
    struct stat found {};
    if (mkdir(made.c_str(), S_IRWXU) == 0 || errno == EEXIST) continue;
    const int error = errno;
    // The file system is read-only or belongs to another user, but the directories exist.
    if (stat(made.c_str(), &found) != 0) return error;
  }
  return 0;
}

int make_private_directory(const std::filesystem::path& directory) {
  if (const int error = make_directories(directory)) return error;
  struct stat last {};
  if (lstat(directory.c_str(), &last) != 0) return errno;
  if (!S_ISDIR(last.st_mode)) return ENOTDIR;
  return last.st_uid == geteuid() ? 0 : EPERM;
}

}  // namespace muster::os
