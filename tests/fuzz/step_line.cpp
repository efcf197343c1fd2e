// The step's layout as srun sends it to the nodes, in a variable that the user can forge.
#include "core/layout/layout.hpp"
#include "target.hpp"
#include "wire/layout_line.hpp"

namespace {

using namespace muster;

void read_input(std::string_view text) {
  if (const auto line = wire::decode_step_layout(text)) {
    const auto again = wire::decode_step_layout(wire::encode(*line));
    fuzz::expect(again && wire::encode(*again) == wire::encode(*line), "a line changes");
  }
  const auto layout = layout::layout_from_text(text);
  fuzz::expect(
      wire::decode_mapping(wire::encode_mapping(layout.node_of_task)) == layout.node_of_task,
      "a mapping changes");
  for (const auto node : layout.node_of_task) {
    fuzz::expect(node < layout.nodes.size(), "a task is on no node");
  }
  fuzz::expect(node_ranks(layout).size() == layout.nodes.size(), "a node has no rank");
  fuzz::expect(contiguous_ranks(layout).size() == layout.node_of_task.size(), "a task has no rank");
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {"1|node[1-4]|0+4x2|10.0.0.1", "1|a,b|1+1x1,0+1x3|", "1|n[01-10]|0+10x1*8|n01",
          "1|n[1-2]|0+2x4|10.0.0.1 ib,big gpu:per_task:1",
          "2|a,n[1-2]|0+3x2|10.0.0.1|42:1:2,43:2:4"};
}

// A short line may describe max_tasks tasks, in 4 bytes each, and max_hosts nodes by name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 512U << 20, .per_byte = 4096}, read_input);
}
