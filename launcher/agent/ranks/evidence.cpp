#include "launcher/agent/ranks/evidence.hpp"

#include "core/report/own_words.hpp"
#include "launcher/agent/ranks/error_file.hpp"

#include <algorithm>
#include <csignal>
#include <ctime>

#include <sys/wait.h>

namespace muster::ranks {
namespace {

constexpr std::chrono::milliseconds last_lines_timeout{250};
// The same names as in lib/python/muster/_record.py and lib/python/start.
constexpr const char* thread_file_name = "thread.json";
constexpr const char* fault_file_name = "fault.txt";

// The resolution of a file's time: the kernel uses the time of the last tick.
std::chrono::nanoseconds tick() {
  timespec tick{};
  clock_getres(CLOCK_REALTIME_COARSE, &tick);
  return std::chrono::seconds{tick.tv_sec} + std::chrono::nanoseconds{tick.tv_nsec};
}

// One comparison of the clocks for all of a rank's files: those of one tick must not change their order.
struct Clocks {
  std::chrono::system_clock::time_point wall = std::chrono::system_clock::now();
  std::chrono::steady_clock::time_point steady = std::chrono::steady_clock::now();
};

// No value for a time at which the rank was not running: the clock was set, or belongs to another machine
// (NFS).
std::optional<report::Moment> time_of(const ErrorFile& file, const Rank& rank, const Clocks& now,
                                      const Translate& moment) {
  const auto time = monotonic(file.written, now.wall, now.steady);
  if (!rank.start || !rank.end || time + tick() < *rank.start || time > *rank.end)
    return std::nullopt;
  auto translated = moment(time);
  translated.error += tick();
  return translated;
}

std::optional<report::Written> written(const std::filesystem::path& path, const Rank& rank,
                                       const Clocks& now, const Translate& moment) {
  auto file = read_error_file(path);
  if (!file) return std::nullopt;
  const auto time = time_of(*file, rank, now, moment);
  return report::Written{std::move(file->text), time};
}

report::RankFiles files_of(const std::filesystem::path& error_file, const Rank& rank,
                           const Translate& moment) {
  const auto directory = error_file.parent_path();
  const Clocks now;
  report::RankFiles files;
  files.record = written(error_file, rank, now, moment);
  if (files.record) return files;
  files.uncaught = written(directory / exception_file_name, rank, now, moment);
  files.thread = written(directory / thread_file_name, rank, now, moment);
  files.fault = written(directory / fault_file_name, rank, now, moment);
  return files;
}

}  // namespace

bool killed_for_memory(const OomKills& kills, std::int32_t wait_status, bool ended_by_muster) {
  constexpr int shells_kill = 128 + SIGKILL;  // from a shell whose program was killed
  if (wait_status == 0) return false;
  if (kills.in_task) return true;
  const bool killed = (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL) ||
                      (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == shells_kill);
  return kills.nearby && killed && !ended_by_muster;
}

Evidence::Evidence(std::vector<std::filesystem::path> error_files, GroupMounts mounts,
                   const std::vector<std::filesystem::path>& stderr_files)
    : mounts_(std::move(mounts)) {
  for (auto& file : error_files) places_.push_back({.error_file = std::move(file)});
  for (std::size_t id = 0; id < stderr_files.size() && id < places_.size(); ++id)
    places_[id].stderr_file = StderrFile{.path = stderr_files[id]};
}

void Evidence::look(const std::vector<Rank>& ranks) {
  CounterReadings readings(mounts_);
  for (std::size_t id = 0; id < ranks.size() && id < places_.size(); ++id) {
    if (!ranks[id].runs()) continue;
    places_[id].memory.look("/proc", ranks[id].process->pid(), readings);
    if (auto file = stderr_file("/proc", ranks[id].process->pid()))
      places_[id].stderr_file = std::move(file);
  }
}

void Evidence::moved(std::size_t local_id, const std::filesystem::path& error_file) {
  if (local_id < places_.size()) places_[local_id].error_file = error_file;
}

report::RankEnd Evidence::of(std::size_t local_id, const Rank& rank, const Translate& moment,
                             std::chrono::steady_clock::time_point deadline) {
  report::RankEnd end;
  end.place = rank.place;
  end.wait_status = rank.wait_status.value_or(report::unknown_status);
  end.time = moment(rank.end.value_or(std::chrono::steady_clock::now()));
  end.ended_by_muster = rank.signalled;
  if (end.wait_status == 0 || local_id >= places_.size()) return end;
  const auto& place = places_[local_id];
  end.out_of_memory = killed_for_memory(place.memory.kills(), end.wait_status, rank.signalled);
  if (std::chrono::steady_clock::now() >= deadline) return end;
  if (!place.error_file.empty())
    end.exception = own_words(files_of(place.error_file, rank, moment), end);
  // The lines of a rank that was stopped say nothing about the cause.
  if (!rank.signalled) add_last_lines(end, place, deadline);
  return end;
}

void Evidence::add_last_lines(report::RankEnd& end, const Place& place,
                              std::chrono::steady_clock::time_point deadline) {
  if (!place.stderr_file || last_lines_left_ == 0) return;
  const auto left =
      std::chrono::floor<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  if (left.count() <= 0) return;
  --last_lines_left_;
  const bool is_shared = std::ranges::count(places_, place.stderr_file, &Place::stderr_file) > 1;
  auto read =
      read_last_lines(*place.stderr_file, is_shared ? std::optional(end.place.rank) : std::nullopt,
                      std::min(last_lines_timeout, left));
  if (!read) last_lines_left_ = 0;  // reading the other ranks' lines would take just as long
  if (!read || read->lines.empty()) return;
  end.last_lines = std::move(read->lines);
  end.last_lines_shared = read->shared;
  end.last_lines_file = place.stderr_file->path;
}

}  // namespace muster::ranks
