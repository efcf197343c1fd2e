#include "launcher/channel/view/tail.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::view {
namespace {

os::Descriptor open_file(const std::filesystem::path& path) {
  return os::Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

// No value if it is not a regular file, because something else has then put it there.
std::optional<std::uint64_t> size_of(const os::Descriptor& file) {
  struct stat found {};
  if (!file || fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(found.st_size);
}

// The bytes from `offset` up to `end`, at most `max_bytes` of them.
std::string read_part(const os::Descriptor& file, std::uint64_t offset, std::uint64_t end,
                      std::size_t max_bytes) {
  std::string bytes(std::min<std::uint64_t>(end - offset, max_bytes), '\0');
  const auto count = pread(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
  bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return bytes;
}

}  // namespace

Tail::Tail(asio::io_context& io, const std::vector<LogFile>& files, std::uint32_t nodes, Send send)
    : timer_(io), window_(window(nodes)), send_(std::move(send)) {
  for (const auto& file : files) files_.push_back({.log = file});
}

void Tail::start() {
  wait();
}

void Tail::wait() {
  timer_.expires_after(interval);
  timer_.async_wait([this](std::error_code stopped) {
    if (stopped) return;
    look();
    wait();
  });
}

std::size_t Tail::room() const {
  const auto under_way =
      std::accumulate(files_.begin(), files_.end(), std::size_t{0},
                      [](auto sum, const auto& file) { return sum + file.sending.under_way(); });
  return window_ - std::min(window_, under_way);
}

// Sends a piece of each file in turn.
void Tail::look() {
  bool any = !files_.empty();
  first_ = files_.empty() ? 0 : (first_ + 1) % files_.size();
  while (any) {
    any = false;
    for (std::size_t count = 0; count < files_.size(); ++count) {
      auto& file = files_[(first_ + count) % files_.size()];
      if (file.log.shown && send_some(file)) any = true;
    }
  }
}

// True if there may be more to send.
bool Tail::send_some(File& file) {
  if (!file.descriptor) file.descriptor = open_file(file.log.path);
  const auto size = size_of(file.descriptor);
  file.behind = size && *size > file.sending.next();
  if (!file.behind || room() == 0) return false;
  return send_piece(file, *size);
}

bool Tail::send_piece(File& file, std::uint64_t size) {
  const auto skip = skip_to(file.sending.next(), size);
  auto offset = skip.value_or(file.sending.next());
  auto bytes = read_part(file.descriptor, offset, size, std::min(room(), max_piece_bytes));
  const auto line_end = skip ? bytes.find('\n') : std::string::npos;
  if (line_end != std::string::npos) {
    bytes.erase(0, line_end + 1);
    offset += line_end + 1;
  }
  const auto count = bytes.size();
  if (count == 0) return false;
  if (!send_({file.log.source, offset, std::move(bytes)})) return false;
  file.sending.skip(offset);
  file.sending.sent(count);
  return true;
}

void Tail::connected() {
  for (auto& file : files_) file.sending.lost();
  look();
}

// Small pieces are not worth the work, so this waits until half the window is free. A file that was sent
// completely waits for the next look.
void Tail::shown(const Source& source, std::uint64_t offset) {
  const auto same = [&](const auto& file) { return file.log.source == source; };
  const auto file = std::ranges::find_if(files_, same);
  if (file == files_.end()) return;
  file->sending.shown(offset);
  if (room() >= window_ / 2 && std::ranges::any_of(files_, &File::behind)) look();
}

void Tail::failed(std::uint32_t rank) {
  for (auto& file : files_) {
    if (file.log.shown || file.log.source.rank != rank) continue;
    if (!file.descriptor) file.descriptor = open_file(file.log.path);
    const auto size = size_of(file.descriptor).value_or(0);
    const auto offset = size - std::min<std::uint64_t>(size, max_end_bytes);
    auto bytes = read_part(file.descriptor, offset, size, max_end_bytes);
    if (!bytes.empty()) send_({file.log.source, offset, std::move(bytes)});
  }
}

bool Tail::sent_all() {
  look();
  return std::ranges::none_of(files_, &File::behind);
}

void Tail::finish() {
  timer_.cancel();
  for (auto& file : files_) {
    const auto size = file.log.shown ? size_of(file.descriptor) : std::nullopt;
    if (size && *size > file.sending.next()) send_({file.log.source, *size, {}});
  }
}

}  // namespace muster::view
