// Folds equal lines that many ranks write within a short time into one. Each rank's stream keeps the order of
// its lines; lines of different ranks may be reordered, so that more of them can be folded.
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
#include <utility>
#include <vector>

namespace muster::view {

struct FoldedLine {
  Stream stream = Stream::out;
  std::string text;
  std::set<std::uint32_t> ranks;  // empty: a line of muster's own
};

class Folding {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::milliseconds moment{200};
  static constexpr std::size_t max_lines = 4096;  // that wait
  static constexpr std::size_t max_bytes = std::size_t{1} << 20;

  // The number of ranks in view: a line that all of them have written is shown without further waiting.
  void set_ranks(std::size_t ranks) { ranks_ = ranks; }

  void add(const Source& source, std::string text, Time now);
  void add_own(std::string text, Time now);  // a line of muster's own, for stderr

  [[nodiscard]] std::optional<Time> next() const;
  std::vector<FoldedLine> take(Time now);
  std::vector<FoldedLine> take_all();

 private:
  struct Line {
    std::uint64_t number;
    Time since;
    std::string text;
  };
  using Holders = std::map<Source, std::size_t>;  // how many times each of them has a line

  [[nodiscard]] bool is_due(Time now) const;
  void drop_taken();
  void take_first(std::vector<FoldedLine>& lines);
  FoldedLine fold_heads(Stream stream, const std::string& text);
  void remove_head(const Source& source);

  std::size_t ranks_ = 0;
  std::size_t bytes_ = 0;
  std::size_t count_ = 0;
  std::uint64_t next_number_ = 0;
  std::map<Source, std::deque<Line>> lines_;
  // May contain lines that have already been taken.
  std::deque<std::pair<std::uint64_t, Source>> arrivals_;
  std::unordered_map<std::string, Holders> holders_;  // by stream and text
};

}  // namespace muster::view
