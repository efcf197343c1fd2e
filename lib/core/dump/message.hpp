// How the nodes' looks come to whoever asked: as short lines on the standard output of a step, which
// Slurm mixes with those of other nodes but does not cut. A look takes as
// many lines as it needs:
//
//   muster-dump NODE NUMBER more|last TEXT
//
// The other lines of that output are somebody else's, and are no error.
#pragma once

#include "core/dump/look.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace muster::dump {

inline constexpr std::size_t max_line_bytes = 1000;  // Slurm cuts lines of more than 1024
inline constexpr std::size_t max_message_bytes = std::size_t{128} << 10;

// The node has said everything.
struct NodeDone {
  std::string node;

  friend bool operator==(const NodeDone&, const NodeDone&) = default;
};
template <class Io>
void fields(Io& io, NodeDone& done) {
  line_field(io, done.node, max_node_bytes);
}

using Message = std::variant<ProcessLook, NodeRemark, RasLine, NodeDone>;

// At most max_message_bytes: of too many stacks the main thread's are kept.
std::string to_text(const Message& message);

// Throws Error for anything that to_text() cannot have written.
Message message_of(std::string_view text);

// The lines of one message, each with its end of line. `number`: how many this node has sent before.
std::string to_lines(const std::string& node, std::uint32_t number, std::string_view text);

// Puts the messages of many nodes together again. What is damaged is left out.
class Reader {
 public:
  void take(std::string_view output);
  [[nodiscard]] const Looks& looks() const { return looks_; }
  // The first line of the output that is not muster's: Slurm's own, probably.
  [[nodiscard]] const std::string& other_line() const { return other_line_; }

 private:
  struct Part {
    std::uint32_t number = 0;
    std::string text = {};
  };

  void take_line(std::string_view line);
  void take_message(const std::string& node, std::string_view text);

  Looks looks_;
  std::map<std::string, Part> parts_;
  std::string other_line_;
};

}  // namespace muster::dump
