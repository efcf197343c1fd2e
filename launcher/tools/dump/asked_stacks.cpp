#include "launcher/tools/dump/asked_stacks.hpp"

#include "core/dump/stacks.hpp"
#include "launcher/agent/ranks/memory_file.hpp"
#include "launcher/agent/ranks/process.hpp"
#include "launcher/agent/ranks/process_state.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/small_file.hpp"

#include <csignal>
#include <cstdint>
#include <string>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::dump {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t max_status = 16384;
constexpr std::size_t max_text = std::size_t{1} << 20;
constexpr milliseconds look_interval{10};
constexpr int looks_unchanged = 3;
constexpr std::string_view file_name = "muster-stacks-";

bool is_stacks_signal(int number) {
  return number >= SIGRTMIN && number <= SIGRTMAX;
}

off_t size_of(const os::Descriptor& file) {
  struct stat status {};
  return fstat(file.get(), &status) == 0 ? status.st_size : 0;
}

// Waits until the file has grown beyond `before` and has then stopped growing for a moment.
bool await_text(const os::Descriptor& file, off_t before, Clock::time_point deadline) {
  off_t last = before;
  int unchanged = 0;
  while (Clock::now() < deadline) {
    std::this_thread::sleep_for(look_interval);
    const auto now = size_of(file);
    unchanged = now == last ? unchanged + 1 : 0;
    last = now;
    if (now > before && unchanged >= looks_unchanged) return true;
  }
  return false;
}

std::string text_from(const os::Descriptor& file, off_t begin) {
  std::string text(max_text, '\0');
  const auto size = pread(file.get(), text.data(), text.size(), begin);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

// Gives the memory of earlier texts back, which counts against the job. Another process that asks just now
// still finds the last ones.
void forget_before(const os::Descriptor& file, off_t end) {
  constexpr off_t kept = max_text;
  if (end > kept)
    static_cast<void>(
        fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, end - kept));
}

}  // namespace

std::optional<int> stacks_signal(std::string_view link) {
  const auto signal = ranks::memory_file_number(link, file_name);
  return signal && is_stacks_signal(*signal) ? signal : std::nullopt;
}

bool catches(std::string_view status, int signal) {
  return ranks::is_in_mask(status, "SigCgt", signal) &&
         !ranks::is_in_mask(status, "SigBlk", signal);
}

bool has_stacks_file(pid_t pid) {
  return ranks::find_memory_file(pid, file_name).has_value();
}

Stacks asked_stacks(pid_t pid, milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  const auto process = ranks::Process::open(pid);
  const auto directory = fs::path("/proc") / fmt::to_string(pid);
  const auto file = ranks::find_memory_file(pid, file_name);
  if (!process || !file || !is_stacks_signal(file->number))
    return {.remark = "muster's start hook is not loaded in it"};
  if (!catches(os::small_file(directory / "status", max_status), file->number)) {
    return {.remark = "its program uses or blocks the signal of muster's start hook"};
  }
  const os::Descriptor text(open(file->path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!text) return {.remark = "cannot open its stack file"};
  const auto before = size_of(text);
  forget_before(text, before);
  if (!process->signal(file->number) || !await_text(text, before, deadline)) {
    return {.remark = fmt::format("it wrote no stacks within {} ms", timeout.count())};
  }
  auto threads = stacks_of_faulthandler(text_from(text, before));
  if (threads.empty()) return {.remark = "it wrote no stacks that can be read"};
  return {.threads = std::move(threads), .tool = "faulthandler"};
}

}  // namespace muster::dump
