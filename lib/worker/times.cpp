#include "worker/times.hpp"

#include "worker/one_line.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <exception>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::worker {
namespace {

using std::chrono::microseconds;

constexpr std::string_view first_line = "muster times 1\n";
constexpr std::size_t max_phases = 32;
constexpr std::size_t max_calls = 8;
// muster:// makes three calls, and should end with a write.
constexpr std::size_t calls_before_write = 4;
constexpr std::chrono::minutes longest_pause{2};  // between calls during the start of a program
constexpr std::size_t max_name_bytes = 80;
constexpr std::size_t max_node_bytes = 255;
constexpr rlim_t max_file_bytes = 8192;  // more than 32 phases take

microseconds on_clock(Times::Clock::time_point time) {
  return std::chrono::duration_cast<microseconds>(time.time_since_epoch());
}

// A variable that was passed on by an srun without muster belongs to a different step.
bool is_of_this_step(const Environment& environment) {
  const auto step = environment.get("SLURM_STEP_ID");
  if (step.empty()) return true;  // `muster run`
  constexpr std::array jobs{"SLURM_JOB_ID", "SLURM_HET_JOB_ID", "SLURM_JOB_ID_HET_GROUP_0"};
  return std::any_of(jobs.begin(), jobs.end(), [&](const char* name) {
    const std::string job{environment.get(name)};
    return !job.empty() && environment.get("MUSTER_STEP") == job + "." + std::string{step};
  });
}

// torchrun and mp.spawn start several ranks in one task, each with its own RANK.
bool is_of_this_rank(const Environment& environment, std::string_view path) {
  const std::string rank{environment.get("RANK")};
  return rank.empty() || path.ends_with("/rank-" + rank + ".times");
}

struct Place {
  microseconds zero{0};
  std::string path;
};

// "ZERO:PATH".
std::optional<Place> place_of(const Environment& environment) {
  const auto text = environment.get("MUSTER_TIMES");
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  microseconds::rep zero = 0;
  const auto* const end = text.data() + colon;
  const auto [stop, error] = std::from_chars(text.data(), end, zero);
  if (error != std::errc{} || stop != end || zero < 0) return std::nullopt;
  const auto path = text.substr(colon + 1);
  if (!path.starts_with('/')) return std::nullopt;
  if (!is_of_this_step(environment) || !is_of_this_rank(environment, path)) return std::nullopt;
  return Place{microseconds{zero}, std::string{path}};
}

// A file that grows beyond the process's limit would end the process with SIGXFSZ.
bool has_room() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= max_file_bytes;
}

}  // namespace

Times::Times(const Environment& environment) noexcept {
  try {
    auto place = place_of(environment);
    // A container may have its own monotonic clock.
    if (!place || on_clock(Clock::now()) < place->zero) return;
    zero_ = place->zero;
    owner_ = ::getpid();
    pending_ = first_line;
    path_ = std::move(place->path);
  } catch (...) {
    stop();
  }
}

void Times::joined(std::string_view transport, std::string_view node) noexcept {
  if (!keeps() || phases_ >= max_phases) return;
  try {
    pending_.append("transport ").append(transport).append("\n");
    pending_.append("node ").append(one_line(std::string{node.substr(0, max_node_bytes)}));
    pending_.append("\n");
  } catch (...) {
    stop();
  }
}

// What a program does later with its step is not part of its start.
bool Times::is_work(Clock::time_point begin, Kind kind) noexcept {
  if (kind == Kind::work_call && ++calls_ > max_calls) return true;
  return phases_ > 0 && begin - last_end_ > longest_pause;
}

void Times::add(Clock::time_point begin, Clock::time_point end, Kind kind, bool ok,
                std::string_view name) noexcept {
  if (!keeps()) return;
  if (phases_ >= max_phases || is_work(begin, kind)) {
    phases_ = max_phases;
    write();
    return stop();
  }
  ++phases_;
  last_end_ = end;
  try {
    const auto from = std::max(on_clock(begin) - zero_, microseconds{0});
    const auto to = std::max(on_clock(end) - zero_, from);
    pending_.append("phase ").append(std::to_string(from.count())).append(" ");
    pending_.append(std::to_string(to.count())).append(kind == Kind::own ? " own" : " all");
    pending_.append(ok ? " ok " : " failed ");
    pending_.append(one_line(std::string{name.substr(0, max_name_bytes)})).append("\n");
  } catch (...) {
    stop();
  }
  if (!ok || (kind == Kind::work_call && calls_ == calls_before_write)) write();
}

void Times::mark(std::string_view name) noexcept {
  if (phases_ > 0) add(last_end_, Clock::now(), Kind::own, true, name);
}

int Times::opened() noexcept {
  constexpr int always = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const int file = is_made_ ? ::open(path_.c_str(), always | O_APPEND)
                            : ::open(path_.c_str(), always | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  struct stat status {};
  if (file < 0 || ::fstat(file, &status) != 0) return file;
  if (!is_made_) {
    is_made_ = true;
    device_ = status.st_dev;
    inode_ = status.st_ino;
  }
  // An inode number may be reused after its file has been removed.
  if (status.st_dev == device_ && status.st_ino == inode_ && status.st_size == written_)
    return file;
  ::close(file);
  return -1;
}

// In a forked child the pending phases are not this rank's.
void Times::write() noexcept {
  if (!keeps() || phases_ == 0 || pending_.empty() || ::getpid() != owner_) return;
  const int kept = errno;
  const int file = has_room() ? opened() : -1;
  const auto size = static_cast<ssize_t>(pending_.size());
  if (file < 0 || ::write(file, pending_.data(), pending_.size()) != size) stop();
  written_ += size;
  if (file >= 0) ::close(file);
  pending_.clear();
  errno = kept;
}

Times::Running::Running(Times& times, Kind kind, std::string_view name) noexcept
    : times_(times),
      kind_(kind),
      name_(name),
      exceptions_(std::uncaught_exceptions()),
      begin_(Clock::now()) {}

Times::Running::~Running() {
  const bool ok = std::uncaught_exceptions() == exceptions_;
  times_.add(begin_, Clock::now(), kind_, ok, name_);
}

}  // namespace muster::worker
