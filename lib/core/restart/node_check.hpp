// What a node reports about itself between two attempts, in an answer as core/slurm/node_answers.hpp
// describes it. Pure.
#pragma once

#include "core/record/limits.hpp"
#include "core/text/quote.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::restart {

// The verdict of the health= command about a node.
enum class Health : std::uint8_t {
  unknown,  // there is no health=
  well,
  ill,      // it ended with an exit code other than 0
  unclear,  // it could not be started, or did not end by itself
};

struct NodeCheck {
  std::string node;
  std::uint32_t old_processes = 0;  // left from earlier attempts, because SIGKILL does not end them
  bool gpu_memory_held = false;     // although no process uses that GPU any more
  Health health = Health::unknown;
  std::string why;  // for ill and unclear: "exit code 1: GPU 3 is missing"

  friend bool operator==(const NodeCheck&, const NodeCheck&) = default;
};
template <class Io>
void fields(Io& io, NodeCheck& check) {
  io(check.node, record::Line{255})(check.old_processes)(check.gpu_memory_held);
  io(check.health, record::Range{Health::unknown, Health::unclear});
  io.through(check.why, text::printable, text::printable, record::Max{128});
  io.require(!check.node.empty());
}

inline constexpr std::size_t max_check_line_bytes = 1024;

// One line, with its newline.
std::string to_line(const NodeCheck& check);

// Searches the output of all nodes and srun. Lines that to_line() cannot have written are skipped.
std::vector<NodeCheck> node_checks_in(std::string_view text);

}  // namespace muster::restart
