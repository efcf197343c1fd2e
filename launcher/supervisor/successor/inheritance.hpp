// What a supervisor leaves to its successor, and how the two speak: over the standard streams of the
// successor's own Slurm step. Slurm has authenticated these, and whoever may start a step may use them.
#pragma once

#include "core/record/limits.hpp"
#include "core/restart/succession.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::successor {

inline constexpr std::size_t max_bytes = std::size_t{16} << 20;

struct Inheritance {
  restart::Generation generation = 1;    // of the heir
  std::string host;                      // the node of the supervisor
  std::string supervisor_step;           // in which it runs, "42.3"; empty for the batch script's
  std::string directory;                 // in which it was started
  std::vector<std::string> command;      // its own, every word
  std::vector<std::string> environment;  // in which it was started, NAME=VALUE
  std::chrono::milliseconds heartbeat{};
  std::string attempts;         // as restart::to_text() has written it
  std::uint32_t allocated = 0;  // nodes of the job when its first supervisor began
  std::vector<std::string> nodes =
      {};                            // of the attempt that runs, if the supervisor has chosen them
  std::uint32_t tasks_per_node = 0;  // likewise; 0 where the nodes have unequal numbers
  std::vector<std::string> lost = {};   // nodes that had been lost before
  std::uint32_t line = 0;               // which one of the job's with the same words
  std::chrono::milliseconds silence{};  // for how long nothing had been heard; the heir's to fill
  std::string heir_node = {};           // likewise
  std::string heir_step = {};

  friend bool operator==(const Inheritance&, const Inheritance&) = default;
};
template <class Io>
void fields(Io& io, Inheritance& left) {
  constexpr record::Max any{max_bytes};
  constexpr record::Range time{std::chrono::milliseconds(0), std::chrono::hours(24)};
  io(left.generation)(left.host, any)(left.supervisor_step, any)(left.directory, any);
  io(left.command, any, any)(left.environment, any, any)(left.heartbeat, time)(left.attempts, any);
  io(left.allocated)(left.nodes, any, any)(left.tasks_per_node)(left.lost, any, any)(left.line);
  io(left.silence, time)(left.heir_node, any)(left.heir_step, any);
  io.require(!left.command.empty());
}

std::string to_bytes(const Inheritance& inheritance);

// Nothing for what to_bytes() cannot have written.
std::optional<Inheritance> inheritance_from(std::string_view bytes);

// The supervisor's messages: a letter, and behind 'I' the length of what follows, in a line each.
inline constexpr char beat = 'B';      // answered by `answer`
inline constexpr char inherits = 'I';  // likewise
inline constexpr char ends = 'E';      // nothing is left to be done

std::string beat_message();
std::string end_message();
std::string inheritance_message(const Inheritance& inheritance);

// The successor's only message, a line. srun's own words may come between.
inline constexpr std::string_view answer = "muster-successor: here";

// Puts the supervisor's messages together again from what a stream gives.
class Reader {
 public:
  struct Message {
    char kind = 0;
    std::string bytes;
  };

  void add(std::string_view bytes) { buffer_ += bytes; }

  // The next whole one. Throws Error for what no supervisor writes.
  std::optional<Message> next();

 private:
  std::string buffer_;
};

}  // namespace muster::successor
