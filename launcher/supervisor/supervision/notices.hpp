// Lines from the nodes for the user while the step runs, at most max_lines of them. They arrive in the
// channel's thread, which also answers the nodes. A terminal that is stopped (Ctrl-S) must not block that
// thread, or every node would give up on the supervisor.
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
  static constexpr std::size_t max_lines = 32;  // per step

  // `before`: called before each line is written.
  explicit Notices(std::FILE* stream, std::function<void()> before = {})
      : stream_(stream), before_(std::move(before)) {}
  Notices(const Notices&) = delete;
  Notices& operator=(const Notices&) = delete;
  ~Notices() { finish(); }

  // Shows a node's lines, each once: immediately, or when the stream accepts it. A line is a warning unless
  // it begins like one of muster's messages with a different severity. Control characters are made harmless.
  // From any thread; never blocks.
  void show(const std::string& text);

  // Shows a line of the supervisor's own, for example about a hang. max_lines does not apply, so that the
  // line is not lost behind others; callers must use it sparingly.
  void insist(text::Severity severity, const std::string& line);

  // Shows all lines that are still waiting. Blocks for as long as the stream does.
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
