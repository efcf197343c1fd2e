// The supervisor's part of the live view: writes what the agents send of the ranks in view to standard
// output and standard error. In a thread of its own, so that a terminal that is slow or stands still
// holds nothing but the view: the agents then send no more, and leave out what has become old.
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
  std::string line_template = {};        // torchrun's, in the place of prefix=rank
  std::string role = {};                 // for that template
  std::array<int, 2> descriptors{1, 2};  // standard output and standard error
  // Where the rank's output is, for the user.
  std::function<std::string(const Source&)> place;
  // Called in the display's thread before each write.
  std::function<void()> before_write = {};
};

// A piece of a rank's output, and of which rank.
struct Arrival {
  Output output;
  std::string node;
  std::uint32_t ranks = 0;  // of the step
};

class Display {
 public:
  // Everything before the offset has been shown, and so many bytes are no longer kept.
  using Shown = std::function<void(const Source&, std::uint64_t offset, std::size_t bytes)>;

  Display(Wanted wanted, Shown shown);
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;
  ~Display();  // abandons what is not shown

  // Call it after all forks: a process with threads must not fork.
  void start();

  // From any thread, at once.
  void add(const Arrival& arrival);

  // Shows all that has come, as long as the terminal takes it, and ends the thread. `own_line`: the
  // next that is written there is muster's.
  void finish(bool own_line);

  // After finish(): the last lines of a rank that is not in view, where its agent has sent them.
  void show_end(std::uint32_t rank);

 private:
  class State;
  std::shared_ptr<State> state_;  // the thread's, too: it may be waiting for the terminal for ever
};

}  // namespace muster::view
