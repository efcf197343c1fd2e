#include "error_directory.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::agent {

namespace fs = std::filesystem;

namespace {

constexpr const char* prefix = "muster-";

// The directory, opened and locked; empty when it is somebody else's or in use. Nothing is followed
// that another user could have put there.
Descriptor lock_directory(const std::string& path) {
  Descriptor directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status{};
  const bool ours = directory && fstat(directory.get(), &status) == 0 && status.st_uid == geteuid();
  if (!ours || flock(directory.get(), LOCK_EX | LOCK_NB) != 0) return Descriptor();
  return directory;
}

}  // namespace

ErrorDirectory::ErrorDirectory(const std::string& base, const std::string& run_id,
                               std::size_t tasks) {
  // mkdtemp: /tmp is everybody's, and a name that can be foreseen can be taken first.
  auto name = fmt::format("{}/{}{}-XXXXXX", base, prefix, run_id);
  if (mkdtemp(name.data()) == nullptr) return;
  path_ = name;
  lock_ = lock_directory(path_);
  for (std::size_t task = 0; task < tasks; ++task) {
    std::error_code full_disk;
    fs::create_directory(fs::path(path_) / fmt::to_string(task), full_disk);
  }
}

ErrorDirectory::~ErrorDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void remove_abandoned(const std::string& base) {
  std::error_code error;
  for (fs::directory_iterator entry(base, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(prefix)) continue;
    if (!lock_directory(entry->path())) continue;
    std::error_code ignored;
    fs::remove_all(entry->path(), ignored);
  }
}

}  // namespace muster::agent
