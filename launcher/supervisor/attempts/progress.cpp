#include "launcher/supervisor/attempts/progress.hpp"

#include "core/cost/step_number.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/detached_work.hpp"
#include "launcher/os/small_file.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::attempts {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t max_progress_bytes = 4096;

// Different after each write: a file that is written in place has another time, a new file another inode.
using Version = std::tuple<ino_t, off_t, time_t, long>;

// No value if there is no such file, or if it is not a file.
std::optional<Version> version_of(const std::string& file) {
  struct stat found {};
  if (stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  return Version(found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec);
}

// The size and the last bytes of a file that is longer than max_progress_bytes; empty for any other.
std::string end_of(const std::string& file) {
  const os::Descriptor descriptor(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat found {};
  if (!descriptor || fstat(descriptor.get(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  constexpr off_t most = max_progress_bytes;
  if (found.st_size <= most) return {};
  std::string end(max_progress_bytes, '\0');
  const auto size = pread(descriptor.get(), end.data(), end.size(), found.st_size - most);
  end.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return fmt::format("{} bytes, {}", found.st_size, end);
}

// A long attempt needs fewer looks for the same share of its time.
milliseconds interval_at(steady_clock::duration age) {
  constexpr int looks = 400;
  return std::clamp(std::chrono::duration_cast<milliseconds>(age / looks), milliseconds(50),
                    milliseconds(1000));
}

}  // namespace

std::string progress_of(const std::string& file) {
  return os::small_file(file, max_progress_bytes) + end_of(file);
}

struct ProgressWatch::Shared {
  std::string file;
  steady_clock::time_point start;
  std::mutex mutex;  // protects the members below
  std::condition_variable stops;
  bool stopped = false;
  cost::Progress marks;
};

ProgressWatch::ProgressWatch(std::string file, steady_clock::time_point start)
    : shared_(std::make_shared<Shared>()) {
  shared_->file = std::move(file);
  shared_->start = start;
}

void ProgressWatch::start() {
  done_ = os::start_detached([shared = shared_] { watch(shared); });
}

void ProgressWatch::stop() {
  constexpr std::chrono::seconds timeout{1};
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->stopped = true;
  }
  shared_->stops.notify_all();
  if (done_.valid()) done_.wait_for(timeout);
}

cost::Progress ProgressWatch::marks() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->marks;
}

void ProgressWatch::watch(const std::shared_ptr<Shared>& shared) {
  const auto begun = steady_clock::now();
  auto last = version_of(shared->file);
  while (true) {
    std::unique_lock lock(shared->mutex);
    const bool stopped = shared->stops.wait_for(lock, interval_at(steady_clock::now() - begun),
                                                [&] { return shared->stopped; });
    lock.unlock();
    const auto now = version_of(shared->file);
    if (now && now != last) {
      const auto step = cost::step_number(os::small_file(shared->file, max_progress_bytes));
      lock.lock();
      shared->marks.add({steady_clock::now() - shared->start, step});
      lock.unlock();
    }
    last = now;
    if (stopped) return;
  }
}

}  // namespace muster::attempts
