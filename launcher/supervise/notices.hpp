// What the nodes tell the user while the step runs: their lines, and no more of them than a
// terminal bears.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace muster::supervise {

class Notices {
 public:
  static constexpr std::size_t most_lines = 32;  // of a step

  explicit Notices(std::FILE* stream) : stream_(stream) {}

  // Lines of a node's; whatever is in them, each stays one line.
  void show(const std::string& text);

 private:
  std::FILE* stream_;
  std::size_t shown_ = 0;
};

}  // namespace muster::supervise
