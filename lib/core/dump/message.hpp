// What the nodes send for a dump: each message is an answer as core/slurm/node_answers.hpp describes it.
// Pure.
#pragma once

#include "core/dump/look.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace muster::dump {

inline constexpr std::size_t max_message_bytes = std::size_t{128} << 10;

// The node has sent everything.
struct NodeDone {
  std::string node;

  friend bool operator==(const NodeDone&, const NodeDone&) = default;
};
template <class Io>
void fields(Io& io, NodeDone& done) {
  line_field(io, done.node, max_node_bytes);
}

using Message = std::variant<ProcessLook, NodeRemark, RasLine, NodeDone>;

// At most max_message_bytes: if there are too many stacks, the main thread's are kept.
std::string to_text(const Message& message);

// Throws Error for anything that to_text() cannot have produced.
Message message_of(std::string_view text);

// Reads the messages of many nodes and ignores damaged ones.
class Reader {
 public:
  void take(std::string_view output);
  [[nodiscard]] const Looks& looks() const { return looks_; }
  // The first line that no node wrote: probably srun's.
  [[nodiscard]] const std::string& other_line() const { return other_line_; }

 private:
  void take_message(const std::string& node, std::string_view text);

  Looks looks_;
  std::string other_line_;
};

}  // namespace muster::dump
