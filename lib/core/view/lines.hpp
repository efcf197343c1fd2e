// Splits a stream of bytes into whole lines of bounded length, for a terminal that shows several ranks. A
// progress bar that a program redraws with '\r' is shown in its last state.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace muster::view {

class Lines {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using TakeLine = std::function<void(std::string line)>;

  static constexpr std::size_t max_line_bytes = std::size_t{8}
                                                << 10;  // a longer line is split into parts
  // An incomplete line is shown after this long without new bytes,
  static constexpr std::chrono::milliseconds time_at_rest{1000};
  // or after this long if bytes keep arriving.
  static constexpr std::chrono::milliseconds time_in_motion{10'000};

  // Passes on lines without their line ends.
  void add(std::string_view bytes, Time now, const TakeLine& take);

  // When look() has something to do.
  [[nodiscard]] std::optional<Time> next() const;
  void look(Time now, const TakeLine& take);

  // Passes on the last line if it is incomplete.
  void finish(const TakeLine& take);

 private:
  void append(std::string_view text, const TakeLine& take);
  void end_line(const TakeLine& take);
  void show_unfinished(const TakeLine& take);

  std::string line_;
  bool returned_ = false;  // the next bytes will overwrite the line
  bool shown_ = false;     // the beginning of the line has been shown
  Time begun_;
  Time changed_;
};

}  // namespace muster::view
