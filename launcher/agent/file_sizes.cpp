#include "launcher/agent/file_sizes.hpp"

#include "launcher/os/detached_work.hpp"

#include <sys/stat.h>

namespace muster::agent {
namespace {

using std::chrono::milliseconds;

bool is_there(const std::future<FileSizes::ByFile>& sizes, milliseconds time) {
  return sizes.valid() && sizes.wait_for(time) == std::future_status::ready;
}

FileSizes::ByFile sizes_by(const FileSizes::Look& look, const std::vector<std::string>& files) {
  FileSizes::ByFile sizes;
  for (const auto& file : files) {
    if (const auto size = look(file)) sizes.emplace(file, *size);
  }
  return sizes;
}

}  // namespace

std::optional<FileSize> size_of_file(const std::string& file) {
  struct stat found {};
  if (stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  return FileSize{.bytes = found.st_size,
                  .written = std::chrono::seconds(found.st_mtim.tv_sec) +
                             std::chrono::nanoseconds(found.st_mtim.tv_nsec)};
}

const FileSizes::ByFile& FileSizes::of(const std::vector<std::string>& files, milliseconds time) {
  if (under_way_.valid() && !is_there(under_way_, milliseconds(0))) return known_;
  under_way_ = os::start_detached([look = look_, files] { return sizes_by(look, files); });
  if (is_there(under_way_, time)) known_ = under_way_.get();
  return known_;
}

}  // namespace muster::agent
