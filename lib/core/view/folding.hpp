// Equal lines of many ranks within a moment become one. Each rank's lines stay in their order.
#pragma once

#include "core/view/output.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace muster::view {

struct FoldedLine {
  Stream stream = Stream::out;
  std::string text;
  std::set<std::uint32_t> ranks;  // none: a line of muster's
};

class Folding {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::milliseconds moment{200};
  static constexpr std::size_t max_lines = 4096;  // that wait
  static constexpr std::size_t max_bytes = std::size_t{1} << 20;

  // So many ranks are in view: a line of all of them waits for no other.
  void set_ranks(std::size_t ranks) { ranks_ = ranks; }

  void add(const Source& source, std::string text, Time now);
  void add_own(std::string text, Time now);  // muster's, on stderr

  [[nodiscard]] std::optional<Time> next() const;
  std::vector<FoldedLine> take(Time now);
  std::vector<FoldedLine> take_all();

 private:
  struct Waiting {
    FoldedLine line;
    Time since;
  };

  void append(FoldedLine line, Time now);
  [[nodiscard]] bool is_due(const Waiting& waiting, Time now) const;
  FoldedLine take_first();

  std::size_t ranks_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t taken_ = 0;  // the number of the first that waits
  std::deque<Waiting> waiting_;
  std::unordered_map<std::string, std::deque<std::uint64_t>> numbers_;  // of lines, by their text
  std::map<std::uint32_t, std::uint64_t> next_;  // the first line that this rank may join
};

}  // namespace muster::view
