#include "core/file/trusted_directory.hpp"

#include "core/file/refusal.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::file {
namespace {

constexpr std::size_t max_entries = 10'000;  // counts all entries, whatever their names

struct Close {
  void operator()(DIR* directory) const { closedir(directory); }
};
using Directory = std::unique_ptr<DIR, Close>;

Directory opened(const std::string& path, const Trust& trust) {
  Directory directory(opendir(path.c_str()));
  if (!directory) throw unreadable(path, errno);
  struct stat status {};
  if (fstat(dirfd(directory.get()), &status) != 0) throw unreadable(path, errno);
  if (trust.any_owner) return directory;
  if (std::ranges::count(trust.owners, status.st_uid) == 0) {
    throw refused(path, fmt::format("its owner, uid {}, is not trusted", status.st_uid),
                  "change its owner to root");
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    throw refused(path, "its group or other users can write to it", "run chmod go-w on it");
  }
  return directory;
}

}  // namespace

std::vector<std::string> trusted_files(const std::string& directory, std::string_view suffix,
                                       const Trust& trust, std::size_t max_files) {
  const auto open = opened(directory, trust);
  std::vector<std::string> files;
  for (std::size_t seen = 0; seen < max_entries; ++seen) {
    errno = 0;
    const auto* const entry = readdir(open.get());
    if (entry == nullptr && errno != 0) throw unreadable(directory, errno);
    if (entry == nullptr) {
      std::ranges::sort(files);
      return files;
    }
    const std::string_view name(entry->d_name);
    if (name.starts_with('.') || !name.ends_with(suffix)) continue;
    files.push_back(fmt::format("{}/{}", directory, name));
    if (files.size() > max_files) break;
  }
  throw refused(directory, fmt::format("more than {} files", max_files), "merge some of them");
}

}  // namespace muster::file
