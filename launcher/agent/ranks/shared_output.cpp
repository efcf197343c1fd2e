#include "launcher/agent/ranks/shared_output.hpp"

#include "launcher/agent/ranks/last_lines.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/os/descriptor.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::ranks {
namespace {

constexpr off_t max_shown_bytes = off_t{512} << 10;
constexpr std::chrono::milliseconds read_timeout{250};

std::string end_of(const std::string& path, dev_t device, ino_t inode, off_t begin) {
  const os::Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_dev != device || status.st_ino != inode)
    return {};
  begin = std::max(begin, status.st_size - max_shown_bytes);
  std::string text(static_cast<std::size_t>(std::max<off_t>(status.st_size - begin, 0)), '\0');
  const auto size = pread(file.get(), text.data(), text.size(), begin);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return text;
}

bool lacks_reason(const report::RankEnd& end) {
  const bool has_raised = end.exception && !end.exception->of_signal;
  return end.wait_status != 0 && !has_raised && end.last_lines.empty();
}

}  // namespace

void add_lines_of_ranks(report::Record& record, std::string_view text, const std::string& file) {
  for (auto& end : record.ends) {
    if (!lacks_reason(end)) continue;
    auto own = last_lines_of_rank(text, end.place.rank);
    if (own.shared) continue;
    end.last_lines = std::move(own.lines);
    end.last_lines_file = file;
  }
}

SharedOutput::SharedOutput(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
  std::array<char, PATH_MAX> target{};
  const auto link = fmt::format("/proc/self/fd/{}", descriptor);
  const auto size = readlink(link.c_str(), target.data(), target.size());
  if (size <= 0 || static_cast<std::size_t>(size) == target.size()) return;
  path_.assign(target.data(), static_cast<std::size_t>(size));
  device_ = status.st_dev;
  inode_ = status.st_ino;
  begin_ = status.st_size;
}

std::string SharedOutput::text() const {
  if (path_.empty()) return {};
  return os::answer_of_child([this] { return end_of(path_, device_, inode_, begin_); },
                             read_timeout)
      .value_or(std::string());
}

}  // namespace muster::ranks
