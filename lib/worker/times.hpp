// When each phase of this process's bootstrap began and ended, for `muster report`: one small file next to
// the logs of its rank, which the launcher names in MUSTER_TIMES. A phase costs two clock readings, and the
// file one or two writes per run. A failure here is never an error for the program: if the file cannot be
// written, there is simply no file.
//
//   muster times 1
//   transport pmix
//   node node2
//   phase 1712345 1722345 own ok join
//   phase 1722361 3722361 all ok exchange 'torch store's address'
//
// Begin and end are in microseconds of this node's monotonic clock since the launcher's zero. "all" marks a
// phase that waits for all ranks, "own" any other. Then follow "ok" or "failed", and the name up to the end
// of the line. Only the start of a run is recorded: max_calls calls, and nothing after a long pause.
#pragma once

#include "worker/environment.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace muster::worker {

class Times {
 public:
  using Clock = std::chrono::steady_clock;

  enum class Kind : std::uint8_t {
    own,        // waits for no other rank
    all,        // waits for all ranks
    work_call,  // likewise, but a program may make such calls throughout its life
  };

  // Records nothing.
  Times() = default;
  // Records nothing if MUSTER_TIMES is missing, malformed, or meant for another process.
  explicit Times(const Environment& environment) noexcept;

  // Records what is known once this process has joined the step.
  void joined(std::string_view transport, std::string_view node) noexcept;

  // Runs `work` as a phase of that name. If it throws, writes the file immediately, because no other phase
  // may follow.
  template <class Work>
  decltype(auto) phase(Kind kind, std::string_view name, Work&& work) {
    const Running running{*this, kind, name};
    return static_cast<Work&&>(work)();
  }

  // Records what the program did between the end of the last phase and now.
  void mark(std::string_view name) noexcept;

  // Writes everything that has not been written yet.
  void write() noexcept;

 private:
  class Running {
   public:
    Running(Times& times, Kind kind, std::string_view name) noexcept;
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running();

   private:
    Times& times_;
    Kind kind_;
    std::string_view name_;
    int exceptions_;
    Clock::time_point begin_;
  };

  void add(Clock::time_point begin, Clock::time_point end, Kind kind, bool ok,
           std::string_view name) noexcept;
  [[nodiscard]] bool is_work(Clock::time_point begin, Kind kind) noexcept;
  [[nodiscard]] bool keeps() const noexcept { return !path_.empty(); }
  [[nodiscard]] int opened() noexcept;
  void stop() noexcept { path_.clear(); }

  std::string path_;  // empty: record nothing
  std::chrono::microseconds zero_{0};
  pid_t owner_ = 0;
  std::string pending_;
  std::size_t phases_ = 0;
  std::size_t calls_ = 0;
  Clock::time_point last_end_;
  // A file is appended to only if this process has created it.
  bool is_made_ = false;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  off_t written_ = 0;
};

}  // namespace muster::worker
