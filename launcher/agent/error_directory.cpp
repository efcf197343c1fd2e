#include "launcher/agent/error_directory.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::agent {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "muster-";
constexpr std::size_t random_letters = 6;  // letters that mkdtemp adds

// Removes the leading digits; false if there are none.
bool take_number(std::string_view& rest) {
  const auto digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  rest.remove_prefix(digits);
  return digits > 0;
}

bool take(std::string_view& rest, std::string_view expected) {
  if (!rest.starts_with(expected)) return false;
  rest.remove_prefix(expected.size());
  return true;
}

// Matches "muster-42.0-node1-abcdef" and nothing else: a looser match could remove the user's own files.
bool is_ours(std::string_view name, const std::string& node) {
  return take(name, prefix) && take_number(name) && take(name, ".") && take_number(name) &&
         take(name, "-") && take(name, node) && take(name, "-") && name.size() == random_letters &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char letter) { return std::isalnum(letter) != 0; });
}

// Opens and locks the directory. Empty if another user owns it or it is in use. Does not follow links that
// another user could have put there.
os::Descriptor lock_directory(const std::string& path) {
  os::Descriptor directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  const bool ours = directory && fstat(directory.get(), &status) == 0 && status.st_uid == geteuid();
  if (!ours || flock(directory.get(), LOCK_EX | LOCK_NB) != 0) return os::Descriptor();
  return directory;
}

}  // namespace

ErrorDirectory::ErrorDirectory(const std::string& base, const std::string& run_id,
                               const std::string& node, std::size_t tasks)
    : tasks_(tasks) {
  // mkdtemp, because /tmp is shared and another user could take a predictable name first. The directory is
  // hidden until it is locked, so that another agent on this node does not take it for abandoned.
  const auto name = fmt::format("{}{}-{}", prefix, run_id, node);
  auto hidden = fmt::format("{}/.{}-XXXXXX", base, name);
  if (mkdtemp(hidden.data()) == nullptr) return;
  lock_ = lock_directory(hidden);
  const auto letters = hidden.substr(hidden.size() - random_letters);
  path_ = fmt::format("{}/{}-{}", base, name, letters);
  if (rename(hidden.c_str(), path_.c_str()) != 0) path_ = hidden;
  for (std::size_t task = 0; task < tasks; ++task) {
    std::error_code full_disk;
    fs::create_directory(fs::path(path_) / fmt::to_string(task), full_disk);
  }
}

void ErrorDirectory::write(const std::string& file, const std::string& content) {
  std::ofstream out(file, std::ios::binary);
  out << content;
  out.close();
  if (!out) throw Error(fmt::format("cannot write {}; is the disk full?", file));
}

ErrorDirectory::~ErrorDirectory() {
  if (path_.empty()) return;
  // Nearly all directories are empty, and checking each one first would take ten times as many calls.
  for (std::size_t task = 0; task < tasks_; ++task) {
    rmdir((path_ + "/" + fmt::to_string(task)).c_str());
  }
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

bool AbandonedDirectories::examine(std::size_t entries) {
  std::error_code error;
  for (; entries > 0; --entries) {
    if (next_ == fs::directory_iterator()) {
      if (bases_.empty()) return false;
      next_ = fs::directory_iterator(bases_.back(), error);
      bases_.pop_back();
      continue;
    }
    const auto path = next_->path();
    next_.increment(error);
    if (error) next_ = {};
    if (!is_ours(path.filename().string(), node_) || !lock_directory(path)) continue;
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  return true;
}

}  // namespace muster::agent
