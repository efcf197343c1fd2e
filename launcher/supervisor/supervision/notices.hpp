// Lines from the nodes for the user while the step runs, limited to what a terminal can bear. They come
// on the channel's thread, which also answers the nodes: a terminal that stands still (Ctrl-S) must not
// hold it, or every node would take the supervisor for lost.
#pragma once

#include "core/text/message.hpp"

#include <cstddef>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace muster::supervision {

class Notices {
 public:
  static constexpr std::size_t max_lines = 32;  // of a step

  // `before`: called before each line is written.
  explicit Notices(std::FILE* stream, std::function<void()> before = {})
      : stream_(stream), before_(std::move(before)) {}
  Notices(const Notices&) = delete;
  Notices& operator=(const Notices&) = delete;
  ~Notices() { finish(); }

  // A node's lines, warnings unless they begin as muster's with another word; whatever they contain,
  // each stays one line, and is shown once: now, or when the stream takes it. From any thread, which
  // never waits.
  void show(const std::string& text);

  // A line of the supervisor's own, without a limit: of a hang, say, which must not be lost behind lines
  // that no longer matter. Whoever calls it says little.
  void insist(text::Severity severity, const std::string& line);

  // Shows what still waits, however long the stream makes the caller wait.
  void finish();

 private:
  void add(text::Severity severity, const std::string& line);
  [[nodiscard]] bool stream_takes() const;
  void write_next();
  void write_what_fits();

  std::FILE* stream_;
  const std::function<void()> before_;
  std::mutex mutex_;
  std::set<std::string> shown_;
  std::deque<std::string> waiting_;
  bool full_ = false;
};

}  // namespace muster::supervision
