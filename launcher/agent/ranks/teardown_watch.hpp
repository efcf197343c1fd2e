// Finds ranks that have failed with an exception but do not exit: a thread, an atexit handler or the end of a
// process group blocks them, and all other ranks wait for them. It is notified by inotify on the error files'
// directories, so that it reads nothing while nothing is written. A rank that is still writing has more time.
#pragma once

#include "launcher/agent/ranks/exit_deadline.hpp"
#include "launcher/agent/ranks/ranks.hpp"
#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::ranks {

// A rank that has not exited in time after its exception.
struct Hanging {
  std::size_t local_id = 0;
  std::string message;  // the exception's
  bool writes = false;  // it is still writing, so it has more time
};

class TeardownWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // What each rank and its descendants have written, indexed by local task ID.
  using CountWritten = std::function<std::vector<WrittenByProcess>()>;

  // `error_files`: indexed by local task ID; an empty path means no file. `exit_timeout` counts from when the
  // file was written, or from when the rank last wrote something else.
  TeardownWatch(const std::vector<std::filesystem::path>& error_files,
                std::chrono::milliseconds exit_timeout, CountWritten count_written);
  TeardownWatch(const TeardownWatch&) = delete;
  TeardownWatch& operator=(const TeardownWatch&) = delete;
  // Leaves its descriptor open until the process ends: closing it would take 5 to 12 ms, because the kernel
  // waits for all CPUs (synchronize_srcu), and slurmstepd waits for the agent in the meantime.
  ~TeardownWatch() { static_cast<void>(events_.release()); }

  // Readable when look() has something to do; -1 if nothing can be watched.
  [[nodiscard]] int descriptor() const { return events_.get(); }

  // Finds out which files have been written.
  void look(Time now);

  // By when the next rank must have exited, or when to count again what it has written.
  [[nodiscard]] std::optional<Time> next() const;

  // The first rank whose time is over, that is still running, and whose file says why it failed. A rank that
  // has more time because it is still writing is returned once before that. A file with an incomplete
  // exception does not count, and may be written again.
  std::optional<Hanging> due(Time now, const std::vector<Rank>& ranks);

  // When the last of the ranks had torch's process group; no value while one has not, or if it never tells.
  [[nodiscard]] std::optional<Time> group() const { return group_; }

  // The rank's file is elsewhere than it seemed.
  void moved(std::size_t local_id, const std::filesystem::path& error_file, Time now);

 private:
  struct Place {
    std::filesystem::path error_file;
    int watch = -1;
    std::optional<ExitDeadline> deadline = {};
    bool is_told = false;  // due() has returned it once because it has more time
    bool has_group = false;
  };

  void begin(Place& place, Time now);
  void written(int watch, Time now);
  void grouped(int watch, Time now);
  void count(Time now, const std::vector<Rank>& ranks);

  const std::chrono::milliseconds exit_timeout_;
  const CountWritten count_written_;
  os::Descriptor events_;
  std::vector<Place> places_;
  std::optional<Time> group_;
};

}  // namespace muster::ranks
