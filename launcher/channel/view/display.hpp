// The supervisor's part of the live view: writes the output that agents send for the ranks in view to
// standard output and standard error. It does so in its own thread, so that a slow or hanging terminal delays
// only the view: the agents then stop sending, and leave out output that has become too old.
#pragma once

#include "core/option/value_types.hpp"
#include "core/view/composer.hpp"
#include "core/view/output.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace muster::view {

struct Wanted {
  option::View view;
  option::Prefix prefix = option::Prefix::auto_;
  Screen screen;
  std::string line_template = {};        // torchrun's template, in place of prefix=rank
  std::string role = {};                 // for that template
  std::array<int, 2> descriptors{1, 2};  // standard output and standard error
  // Where the user can find all of the rank's output.
  std::function<std::string(const Source&)> place;
  // Called in the display's thread before each write.
  std::function<void()> before_write = {};
};

class Display {
 public:
  // Everything before the offset has been shown, and `bytes` of it are no longer buffered.
  using Shown = std::function<void(const Source&, std::uint64_t offset, std::size_t bytes)>;

  Display(Wanted wanted, Shown shown);
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;
  ~Display();  // abandons output that has not been shown

  // Call it after all forks, because a process with threads must not fork.
  void start();

  // Called from any thread; does not wait. `ranks`: the number of ranks in the step.
  void add(OutputPiece piece, std::uint32_t ranks);

  // Shows everything that has arrived, for as long as the terminal accepts it, and ends the thread.
  // `own_line`: the next line on the terminal is muster's.
  void finish(bool own_line);

  // After finish(): shows the last lines of a rank that is not in view, if its agent has sent them.
  void show_end(std::uint32_t rank);

 private:
  class State;
  std::shared_ptr<State> state_;  // shared with the thread, which may wait for the terminal forever
};

}  // namespace muster::view
