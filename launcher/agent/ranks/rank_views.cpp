#include "launcher/agent/ranks/rank_views.hpp"

#include <optional>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::ranks {
namespace {

// The tasks of a node see one, rarely two other directories.
constexpr std::size_t max_directories = 16;

using Identity = std::pair<dev_t, ino_t>;

os::Descriptor open_directory(const std::filesystem::path& path) {
  return os::Descriptor(open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

std::optional<Identity> identity_of(const os::Descriptor& directory) {
  struct stat status {};
  if (!directory || fstat(directory.get(), &status) != 0) return std::nullopt;
  return Identity(status.st_dev, status.st_ino);
}

std::filesystem::path path_of(const os::Descriptor& directory) {
  return fmt::format("/proc/self/fd/{}", directory.get());
}

}  // namespace

RankViews::RankViews(const std::vector<std::filesystem::path>& error_files)
    : error_files_(error_files), found_(error_files.size()) {}

RankViews::~RankViews() {
  std::error_code ignored;
  for (const auto& [descriptor, name] : directories_) {
    for (const auto& each : std::filesystem::directory_iterator(path_of(descriptor), ignored))
      std::filesystem::remove_all(each.path(), ignored);
    const auto above = open_directory(path_of(descriptor) / "..");
    if (above) unlinkat(above.get(), name.c_str(), AT_REMOVEDIR);
  }
}

std::vector<std::pair<std::size_t, std::filesystem::path>> RankViews::look(
    const std::vector<Rank>& ranks) {
  std::vector<std::pair<std::size_t, std::filesystem::path>> found;
  for (std::size_t id = 0; id < ranks.size() && id < error_files_.size(); ++id) {
    if (found_[id] || error_files_[id].empty() || !ranks[id].runs()) continue;
    const auto own = error_files_[id].parent_path();
    const auto base = own.parent_path();
    auto theirs =
        open_directory(fmt::format("/proc/{}/root{}", ranks[id].process->pid(), base.native()));
    const auto identity = identity_of(theirs);
    if (!identity || identity == identity_of(open_directory(base))) continue;
    auto known = directories_.begin();
    while (known != directories_.end() && identity_of(known->descriptor) != identity) ++known;
    if (known == directories_.end()) {
      if (directories_.size() == max_directories) continue;
      known = directories_.insert(known, {std::move(theirs), base.filename()});
    }
    found_[id] = true;
    found.emplace_back(id,
                       path_of(known->descriptor) / own.filename() / error_files_[id].filename());
  }
  return found;
}

}  // namespace muster::ranks
