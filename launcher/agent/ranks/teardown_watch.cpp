#include "launcher/agent/ranks/teardown_watch.hpp"

#include "core/report/error_file.hpp"
#include "launcher/agent/ranks/error_file.hpp"
#include "launcher/agent/ranks/process.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::ranks {
namespace {

// The kernel has dropped events, so that any of the watched files may have been written.
constexpr int every_watch = -1;

// A file is written in place, as by torch, or elsewhere and then linked or moved there, as by lib/python.
constexpr std::uint32_t writes =
    IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW;

// No value if it is cut off, as in the middle of a write.
std::optional<report::ErrorFile> whole_exception(const std::filesystem::path& path) {
  const auto file = read_error_file(path);
  if (!file) return std::nullopt;
  auto parsed = report::parse_error_file(file->text);
  if (!parsed.exception || !parsed.remark.empty()) return std::nullopt;
  return parsed;
}

// A container may number its processes differently: then the ID can be another user's.
bool runs(std::uint32_t pid) {
  const auto path = fmt::format("/proc/{}", pid);
  struct stat status {};
  if (pid <= 1 || stat(path.c_str(), &status) != 0 || status.st_uid != geteuid()) return false;
  const auto seen = stat_of("/proc", static_cast<pid_t>(pid));
  if (!seen || seen->is_kernels()) return false;
  const auto process = Process::open(*seen);
  return process && process->runs();
}

// The start hook's file counts only while the process that wrote it is still there: a script may have tried
// something in Python, and continued after it failed.
std::optional<std::string> message_of(const std::filesystem::path& error_file) {
  if (auto record = whole_exception(error_file)) return std::move(record->exception->message);
  auto uncaught = whole_exception(error_file.parent_path() / exception_file_name);
  if (!uncaught || !runs(uncaught->process)) return std::nullopt;
  return std::move(uncaught->exception->message);
}

bool is_there(const std::filesystem::path& path) {
  std::error_code unreadable;
  return std::filesystem::is_regular_file(std::filesystem::symlink_status(path, unreadable));
}

}  // namespace

TeardownWatch::TeardownWatch(const std::vector<std::filesystem::path>& error_files,
                             std::chrono::milliseconds exit_timeout, CountWritten count_written)
    : exit_timeout_(exit_timeout), count_written_(std::move(count_written)) {
  for (const auto& file : error_files) places_.push_back({.error_file = file});
  if (std::ranges::all_of(places_, [](const Place& each) { return each.error_file.empty(); }))
    return;
  events_ = os::Descriptor(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!events_) return;
  for (auto& place : places_) {
    if (!place.error_file.empty()) begin(place, std::chrono::steady_clock::now());
  }
}

// Tasks are starting in the meantime.
void TeardownWatch::begin(Place& place, Time now) {
  const auto directory = place.error_file.parent_path();
  place.watch = inotify_add_watch(events_.get(), directory.c_str(), writes);
  if (is_there(place.error_file) || is_there(directory / exception_file_name))
    written(place.watch, now);
  if (is_there(directory / group_file_name)) grouped(place.watch, now);
}

void TeardownWatch::moved(std::size_t local_id, const std::filesystem::path& error_file, Time now) {
  if (!events_ || local_id >= places_.size()) return;
  places_[local_id].error_file = error_file;
  begin(places_[local_id], now);
}

// A few at a time, so that an endless writer does not hold up everything else.
void TeardownWatch::look(Time now) {
  alignas(inotify_event) std::array<char, 4096> events{};
  static_assert(events.size() > sizeof(inotify_event) + NAME_MAX + 1);
  const auto size = read(events_.get(), events.data(), events.size());
  for (ssize_t at = 0; at + static_cast<ssize_t>(sizeof(inotify_event)) <= size;) {
    inotify_event event{};
    std::memcpy(&event, events.data() + at, sizeof event);
    const char* const name = events.data() + at + sizeof event;
    if ((event.mask & IN_Q_OVERFLOW) != 0) {
      written(every_watch, now);
      grouped(every_watch, now);
    }
    const std::string_view file = event.len > 0 ? name : "";
    if (file == "error.json" || file == exception_file_name) written(event.wd, now);
    if (file == group_file_name) grouped(event.wd, now);
    at += static_cast<ssize_t>(sizeof event + event.len);
  }
}

void TeardownWatch::written(int watch, Time now) {
  for (auto& place : places_) {
    if (place.watch < 0 || place.deadline) continue;
    if (watch == every_watch || place.watch == watch) place.deadline.emplace(now, exit_timeout_);
  }
}

void TeardownWatch::grouped(int watch, Time now) {
  for (auto& place : places_) {
    if (place.watch < 0) continue;
    if (place.watch == watch) place.has_group = true;
    if (watch == every_watch && is_there(place.error_file.parent_path() / group_file_name))
      place.has_group = true;
  }
  if (!group_ && std::ranges::all_of(places_, &Place::has_group)) group_ = now;
}

std::optional<TeardownWatch::Time> TeardownWatch::next() const {
  std::optional<Time> next;
  for (const auto& place : places_) {
    if (place.deadline && (!next || place.deadline->next() < *next)) next = place.deadline->next();
  }
  return next;
}

// Counts for all ranks at once, because that reads all of /proc.
void TeardownWatch::count(Time now, const std::vector<Rank>& ranks) {
  std::optional<std::vector<WrittenByProcess>> counted;
  for (std::size_t id = 0; id < places_.size() && id < ranks.size(); ++id) {
    auto& deadline = places_[id].deadline;
    if (!deadline || now < deadline->next()) continue;
    if (!ranks[id].runs()) {
      deadline.reset();
      continue;
    }
    if (!counted) counted = count_written_();
    deadline->count(now, id < counted->size() ? counted->at(id) : WrittenByProcess());
  }
}

std::optional<Hanging> TeardownWatch::due(Time now, const std::vector<Rank>& ranks) {
  count(now, ranks);
  for (std::size_t id = 0; id < places_.size() && id < ranks.size(); ++id) {
    auto& place = places_[id];
    if (!place.deadline) continue;
    const bool writes = place.deadline->is_prolonged(now);
    if (writes ? place.is_told : !place.deadline->is_over(now)) continue;
    auto message = ranks[id].runs() ? message_of(place.error_file) : std::nullopt;
    if (!writes || !message) place.deadline.reset();
    place.is_told = writes && message;
    if (message) return Hanging{id, std::move(*message), writes};
  }
  return std::nullopt;
}

}  // namespace muster::ranks
