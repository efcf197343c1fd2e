#include "launcher/tools/picture/lstopo.hpp"

#include "core/error.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/executable.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::picture {
namespace {

using Clock = std::chrono::steady_clock;

// Well below gather_timeout, the time for which agents wait for their plan to be shown.
constexpr std::chrono::seconds timeout{10};
constexpr std::chrono::milliseconds kill_timeout{1000};
constexpr std::size_t max_bytes = std::size_t{64} << 20;
constexpr std::array programs{"lstopo-no-graphics", "lstopo"};

[[noreturn]] void cannot(const char* what, int error) {
  throw Error(fmt::format("cannot {} for lstopo: {}", what, std::strerror(error)));
}

// The file has no name, so there is nothing to clean up.
os::Descriptor file_with(const std::string& text) {
  os::Descriptor file(memfd_create("topology", MFD_CLOEXEC));
  if (file.get() < 0) cannot("create a file", errno);
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto count = write(file.get(), rest.data(), rest.size());
    if (count < 0) cannot("write a file", errno);
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  lseek(file.get(), 0, SEEK_SET);
  return file;
}

// The child gets descriptor 3. muster chooses all arguments, so no file's content can act as an option.
std::vector<std::string> words(const plan::Drawing& drawing) {
  std::vector<std::string> all{"lstopo",
                               "--input",
                               "/proc/self/fd/3",
                               "--input-format",
                               "xml",
                               "--output-format",
                               "nativesvg",
                               "--no-legend",
                               "--no-factorize",
                               "--no-collapse",
                               "--no-index",
                               "--no-attrs=numanode",
                               "--no-attrs=l3cache",
                               "--no-text=group"};
  if (drawing.threads)
    all.emplace_back("--no-text=core");
  else
    all.emplace_back("--no-smt");
  all.emplace_back("-");
  return all;
}

std::vector<std::string> small_environment() {
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  return {fmt::format("PATH={}", path == nullptr ? "/usr/bin:/bin" : path), "LC_ALL=C",
          "HWLOC_HIDE_ERRORS=2"};
}

class Child {
 public:
  Child(const os::Descriptor& input, const os::Descriptor& output, const plan::Drawing& drawing) {
    auto arguments = words(drawing);
    auto environment = small_environment();
    posix_spawn_file_actions_t files{};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output.get(), 1);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, input.get(), 3);
    int error = ENOENT;
    for (const char* const program : programs) {
      if (error != ENOENT) break;
      error = posix_spawnp(&pid_, program, &files, nullptr, os::exec_pointers(arguments).data(),
                           os::exec_pointers(environment).data());
    }
    posix_spawn_file_actions_destroy(&files);
    if (error == ENOENT)
      throw Error(
          "cannot draw: lstopo is not on PATH; install hwloc (Debian: package hwloc-nox, "
          "elsewhere: hwloc), or leave --svg out");
    if (error != 0) cannot("start a process", error);
  }
  ~Child() {
    if (pid_ < 0) return;
    kill(pid_, SIGKILL);
    const auto deadline = Clock::now() + kill_timeout;
    while (waitpid(pid_, nullptr, WNOHANG) == 0 && Clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
};

std::string read_all(const os::Descriptor& from, Clock::time_point deadline) {
  std::string text;
  std::array<char, 65536> block{};
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd ready{from.get(), POLLIN, 0};
    const int found = left <= 0 ? 0 : poll(&ready, 1, static_cast<int>(left));
    if (found < 0 && errno == EINTR) continue;
    if (found <= 0)
      throw Error(
          fmt::format("lstopo did not finish drawing within {} s; is the node's topology valid?",
                      timeout.count()));
    const auto count = read(from.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(block.data(), static_cast<std::size_t>(count));
    if (text.size() > max_bytes)
      throw Error(fmt::format("lstopo's drawing is larger than {} MiB", max_bytes >> 20));
  }
}

}  // namespace

std::string run_lstopo(const plan::Drawing& drawing) {
  const auto deadline = Clock::now() + timeout;
  const auto input = file_with(drawing.xml);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) cannot("open a pipe", errno);
  const os::Descriptor read_end(ends[0]);
  os::Descriptor write_end(ends[1]);
  Child child(input, write_end, drawing);
  write_end = os::Descriptor();
  auto svg = read_all(read_end, deadline);
  const int status = child.wait();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || svg.empty())
    throw Error(
        "lstopo cannot draw this topology; use `muster topo` to show it as text, or --topology "
        "to draw another");
  return svg;
}

}  // namespace muster::picture
