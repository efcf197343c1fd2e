#include "launcher/supervisor/attempts/line_counter.hpp"

#include "core/restart/line_number.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/private_directory.hpp"
#include "launcher/supervisor/attempts/saved_state.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::attempts {
namespace {

// The lines are counted even without the lock: some file systems have no locks (Lustre by default), and only
// lines that start at the same moment need one.
void lock_counter(int counter, std::chrono::milliseconds timeout) {
  constexpr std::chrono::milliseconds interval{10};
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (flock(counter, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR)) {
    if (std::chrono::steady_clock::now() >= deadline) return;
    std::this_thread::sleep_for(interval);
  }
}

}  // namespace

std::uint32_t take_line_number(const std::string& file, std::uint32_t run,
                               std::chrono::milliseconds timeout) {
  if (os::make_directories(std::filesystem::path(file).parent_path()) != 0) return 0;
  const os::Descriptor counter(
      open((file + ".lines").c_str(),
           O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!counter || !only_user_writes(counter.get())) return 0;
  lock_counter(counter.get(), timeout);
  std::array<char, restart::max_counter_bytes> bytes{};
  const auto size = pread(counter.get(), bytes.data(), bytes.size(), 0);
  if (size < 0) return 0;
  const auto line =
      restart::number_line(std::string_view(bytes.data(), static_cast<std::size_t>(size)), run);
  // If the disk is full, the state cannot be written either, and the user is told about that.
  const auto written = pwrite(counter.get(), line.counter.data(), line.counter.size(), 0);
  if (written > 0 && size > written) [[maybe_unused]]
    const int cut = ftruncate(counter.get(), written);
  return line.number;
}

std::string state_file_of_line(const std::string& file, std::uint32_t number) {
  return number == 0 ? file : fmt::format("{}-{}", file, number + 1);
}

}  // namespace muster::attempts
