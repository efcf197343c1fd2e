// By when a rank must have exited after its exception. Python first waits for threads and child processes
// that may still be saving a checkpoint or uploading a file, so the time counts from when they last wrote
// something. CPU time does not count, because NCCL's threads spin. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

#include <sys/types.h>

namespace muster::ranks {

// What a process has written so far. The same bytes may be in both counts.
struct Written {
  std::int64_t by_calls = 0;    // by system calls, to files of any kind
  std::int64_t to_storage = 0;  // also through mapped files, but only where the kernel counts it
};
using WrittenByProcess = std::map<pid_t, Written>;

// What the processes have written between two readings: the larger of the two counts. A process that has
// ended no longer counts.
std::int64_t written_between(const WrittenByProcess& before, const WrittenByProcess& now);

class ExitDeadline {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr std::int64_t least_bytes = std::int64_t{1} << 20;  // within one timeout
  static constexpr std::chrono::minutes longest{10};                  // in all

  ExitDeadline(Time raised, std::chrono::milliseconds timeout);

  // When to count again what the rank has written.
  [[nodiscard]] Time next() const;

  // `counted`: of the rank and its descendants.
  void count(Time now, const WrittenByProcess& counted);

  [[nodiscard]] bool is_over(Time now) const { return now >= end_by_; }

  // The rank's time would be over if it were not still writing.
  [[nodiscard]] bool is_prolonged(Time now) const {
    return now >= raised_ + timeout_ && !is_over(now);
  }

 private:
  const Time raised_;
  const std::chrono::milliseconds timeout_;
  Time next_count_;
  Time end_by_;
  std::optional<WrittenByProcess>
      last_;  // at the first count, then whenever the rank has written enough
};

}  // namespace muster::ranks
