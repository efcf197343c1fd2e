// What a supervisor hands over to its successor, and how the two communicate: over the standard streams of
// the successor's own Slurm step. Slurm authenticates these streams, and anyone who may start a step may use
// them. Pure.
#pragma once

#include "core/record/limits.hpp"
#include "core/restart/succession.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::restart {

inline constexpr std::size_t max_handover_bytes = std::size_t{16} << 20;

struct Handover {
  Generation generation = 1;         // the successor's
  std::string host;                  // the supervisor's node
  std::string supervisor_step;       // the supervisor's step, "42.3"; empty for the batch script
  std::string directory;             // the supervisor's working directory when it was started
  std::vector<std::string> command;  // the supervisor's command line, every word
  // The supervisor's environment when it was started, NAME=VALUE.
  std::vector<std::string> environment;
  std::chrono::milliseconds heartbeat{};
  std::string attempts;         // written by restart::to_text()
  std::uint32_t allocated = 0;  // how many nodes the job had when its first supervisor started
  std::vector<std::string> nodes = {};  // the current attempt's nodes, if the supervisor chose them
  std::uint32_t tasks_per_node = 0;     // likewise; 0 if the nodes have unequal numbers
  std::vector<std::string> lost = {};   // nodes that had been lost by then
  std::uint32_t line = 0;  // the number of this srun line among lines with the same words
  // How long nothing had been heard; filled in by the successor.
  std::chrono::milliseconds silence{};
  std::string successor_node = {};  // likewise
  std::string successor_step = {};

  friend bool operator==(const Handover&, const Handover&) = default;
};
template <class Io>
void fields(Io& io, Handover& left) {
  constexpr record::Max any{max_handover_bytes};
  constexpr record::Range time{std::chrono::milliseconds(0), std::chrono::hours(24)};
  io(left.generation)(left.host, any)(left.supervisor_step, any)(left.directory, any);
  io(left.command, any, any)(left.environment, any, any)(left.heartbeat, time)(left.attempts, any);
  io(left.allocated)(left.nodes, any, any)(left.tasks_per_node)(left.lost, any, any)(left.line);
  io(left.silence, time)(left.successor_node, any)(left.successor_step, any);
  io.require(!left.command.empty());
}

std::string to_bytes(const Handover& handover);

// No value for bytes that to_bytes() cannot have written.
std::optional<Handover> handover_from(std::string_view bytes);

// The supervisor's messages: a line with a letter, and after 'I' the length of the bytes that follow.
inline constexpr char beat_letter = 'B';      // answered by `successor_answer`
inline constexpr char handover_letter = 'I';  // likewise
inline constexpr char end_letter = 'E';       // there is nothing left to do

std::string beat_message();
std::string end_message();
std::string handover_message(const Handover& handover);

// The successor's only message, a line of its own. srun's own lines may come in between.
inline constexpr std::string_view successor_answer = "muster-successor: here";

// Reassembles the supervisor's messages from the bytes of a stream.
class MessageReader {
 public:
  struct Message {
    char kind = 0;
    std::string bytes;
  };

  void add(std::string_view bytes) { buffer_ += bytes; }

  // The next whole message; no value until it has arrived. Throws Error for bytes that no supervisor writes.
  std::optional<Message> next();

 private:
  std::string buffer_;
};

}  // namespace muster::restart
