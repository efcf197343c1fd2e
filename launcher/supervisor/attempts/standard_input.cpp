#include "launcher/supervisor/attempts/standard_input.hpp"

#include "core/srun/line.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdint>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::attempts {
namespace {

constexpr std::size_t block = std::size_t{64} << 10;

// "all", or the task that receives it.
bool is_own_input(std::string_view mode) {
  return mode == "all" || (!mode.empty() && std::ranges::all_of(mode, [](unsigned char c) {
           return std::isdigit(c);
         }));
}

mode_t kind_of_input() {
  struct stat status {};
  return fstat(STDIN_FILENO, &status) == 0 ? status.st_mode & S_IFMT : 0;
}

// Reading must not block. Opening a pipe again gives a descriptor with its own flags, so the user's remain
// unchanged.
os::Descriptor opened_again() {
  os::Descriptor pipe(open("/proc/self/fd/0", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  return pipe ? std::move(pipe) : os::Descriptor(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
}

ssize_t receive(int source, char* bytes, std::size_t size) {
  const auto count = recv(source, bytes, size, MSG_DONTWAIT);
  return count < 0 && errno == ENOTSOCK ? read(source, bytes, size) : count;
}

bool must_wait(ssize_t count) {
  return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

}  // namespace

bool reads_input(const srun::Command& command, const Environment& environment) {
  const auto mode = setting(read_line(command), environment, "input");
  return !mode || is_own_input(*mode);
}

StandardInput::StandardInput(bool again) {
  if (!again) return;
  const auto kind = kind_of_input();
  if (kind == S_IFREG) start_ = lseek(STDIN_FILENO, 0, SEEK_CUR);
  if (kind == S_IFIFO || kind == S_IFSOCK) source_ = opened_again();
}

StandardInput::~StandardInput() {
  finish();
}

void StandardInput::prepare() {
  if (start_ >= 0) lseek(STDIN_FILENO, start_, SEEK_SET);
  std::array<int, 2> ends{-1, -1};
  if (!source_ || pipe2(ends.data(), O_CLOEXEC) != 0) return;
  const os::Descriptor for_srun(ends[0]);
  to_srun_ = os::Descriptor(ends[1]);
  fcntl(to_srun_.get(), F_SETFL, O_NONBLOCK);
  stop_ = os::Descriptor(eventfd(0, EFD_CLOEXEC));
  given_ = 0;
  dup2(for_srun.get(), STDIN_FILENO);
}

void StandardInput::start() {
  if (to_srun_) thread_ = std::thread([this] { pass_on(); });
}

void StandardInput::finish() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    static_cast<void>(!write(stop_.get(), &one, sizeof one));
    thread_.join();
  }
  to_srun_ = os::Descriptor();
  if (source_ && stop_) dup2(source_.get(), STDIN_FILENO);
  stop_ = os::Descriptor();
}

bool StandardInput::leave_to_next_program() const {
  if (start_ >= 0) return lseek(STDIN_FILENO, start_, SEEK_SET) == start_;
  if (!source_ || (kept_.empty() && !lost_)) return true;
  if (lost_ || !ended_) return false;
  const os::Descriptor file(memfd_create("input", MFD_CLOEXEC));
  return write(file.get(), kept_.data(), kept_.size()) == static_cast<ssize_t>(kept_.size()) &&
         lseek(file.get(), 0, SEEK_SET) == 0 && dup2(file.get(), STDIN_FILENO) == STDIN_FILENO;
}

bool StandardInput::is_untouched() const {
  if (source_ || start_ >= 0) return !lost_;
  const auto kind = kind_of_input();
  return kind == S_IFCHR || kind == 0;
}

std::string StandardInput::loss() const {
  if (!lost_) return {};
  return fmt::format(
      "the program has read more than {} MiB from a pipe, which cannot be read again; use a file "
      "(srun --input=FILE)",
      max_kept_input >> 20);
}

void StandardInput::pass_on() {
  while (true) {
    const bool has_more = given_ < kept_.size();
    if (!has_more && ended_) to_srun_ = os::Descriptor();  // srun sees end-of-file
    std::array<pollfd, 3> sources{{{stop_.get(), POLLIN, 0},
                                   {has_more ? to_srun_.get() : -1, POLLOUT, 0},
                                   {has_more || ended_ ? -1 : source_.get(), POLLIN, 0}}};
    if (poll(sources.data(), sources.size(), -1) < 0 && errno != EINTR) return;
    if (sources[0].revents != 0) return;
    if (sources[1].revents != 0 && !give()) return;
    if (sources[2].revents != 0 && !take()) ended_ = true;
  }
}

// False at the end of the input.
bool StandardInput::take() {
  std::array<char, block> bytes{};
  const auto count = receive(source_.get(), bytes.data(), bytes.size());
  if (must_wait(count)) return true;
  if (count <= 0) return false;
  if (kept_.size() + static_cast<std::size_t>(count) > max_kept_input) lost_ = true;
  if (lost_) {
    kept_.clear();
    given_ = 0;
  }
  kept_.append(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

// False once srun no longer reads.
bool StandardInput::give() {
  const auto count =
      write(to_srun_.get(), kept_.data() + given_, std::min(kept_.size() - given_, block));
  if (must_wait(count)) return true;
  if (count > 0) given_ += static_cast<std::size_t>(count);
  return count > 0;
}

}  // namespace muster::attempts
