// What the terminal shows of the ranks in view: either one rank's bytes unchanged, or lines with a prefix,
// with equal lines folded into one.
#pragma once

#include "core/view/choice.hpp"
#include "core/view/folding.hpp"
#include "core/view/lines.hpp"
#include "core/view/output.hpp"
#include "core/view/words.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::view {

// Bytes for standard output or standard error.
struct ScreenText {
  Stream stream = Stream::out;
  std::string bytes;
};

// Where the output goes.
struct Screen {
  bool colour_out = false;
  bool colour_err = false;
  bool terminal = false;  // both streams are the same terminal
};

class Composer {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `role`: torchrun's name for the kind of ranks.
  Composer(Style style, std::size_t ranks_in_view, Screen screen, std::string role = {});

  void set_node(std::uint32_t rank, const std::string& node) { nodes_.try_emplace(rank, node); }
  void add(const Source& source, std::string_view bytes, Time now);
  // Adds a line of muster's own, for standard error. It never shares a line with the output around it.
  void say(const std::string& line, Time now);

  // What to write now, and when to ask again even if nothing arrives.
  std::vector<ScreenText> take(Time now);
  [[nodiscard]] std::optional<Time> next() const;

  // Everything that is left. `own_line`: the next line on the terminal will be muster's.
  std::vector<ScreenText> finish(bool own_line);

 private:
  void add_line(const Source& source, const std::string& line, Time now);
  void write(const FoldedLine& line);
  void write(Stream stream, std::string_view bytes);
  void end_open_lines();

  const Style style_;
  const std::size_t ranks_in_view_;
  const Screen screen_;
  const std::string role_;
  NodeNames nodes_;
  std::map<Source, Lines> lines_;
  Folding folding_;
  std::vector<ScreenText> ready_;
  std::map<Stream, bool> open_;  // whether a raw stream's last line is incomplete
};

}  // namespace muster::view
