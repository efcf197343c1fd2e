// Lines from the nodes for the user while the step runs, limited to what a terminal can bear.
#pragma once

#include <cstddef>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

namespace muster::supervise {

class Notices {
 public:
  static constexpr std::size_t max_lines = 32;  // of a step

  explicit Notices(std::FILE* stream) : stream_(stream) {}

  // A node's lines; whatever they contain, each stays one line, and is shown once. From any thread.
  void show(const std::string& text);

 private:
  std::FILE* stream_;
  std::mutex mutex_;
  std::set<std::string> shown_;
  bool full_ = false;
};

}  // namespace muster::supervise
