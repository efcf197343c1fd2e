// `muster dump-node`: one node's part of `muster dump`, run in a separate step of the job.
#include "core/dump/ranks.hpp"
#include "core/slurm/node_answers.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/os/host_name.hpp"
#include "launcher/os/output.hpp"
#include "launcher/site/site.hpp"
#include "launcher/tools/dump/node_dump.hpp"

#include <cstdlib>
#include <memory>
#include <string>

namespace muster::command {
namespace {

struct DumpNodeOptions {
  dump::NodeOrder order;
  std::string ranks;
  bool only_signal = false;
  bool hung = false;
};

int dump_node(const DumpNodeOptions& options) {
  auto order = options.order;
  order.ranks = dump::ranks_of(options.ranks);
  if (options.hung) order.signal = dump::SignalUse::hung;
  if (options.only_signal) order.signal = dump::SignalUse::only;
  const char* const node = std::getenv("SLURMD_NODENAME");
  order.node = node == nullptr ? os::host_name() : node;
  std::string lines;
  std::uint32_t number = 0;
  dump::dump_node(order, site::current_environment(), [&](const dump::Message& message) {
    lines += slurm::answer_lines(order.node, number++, to_text(message));
  });
  os::print(lines, "dump");
  return EXIT_SUCCESS;
}

}  // namespace

Command dump_node_command() {
  auto options = std::make_shared<DumpNodeOptions>();
  Command command("dump-node", "show what a step's ranks on this node are doing");
  command.value("--step", options->order.step, "the step")
      .value("--ranks", options->ranks, "only these ranks")
      .flag("--native", options->order.native, "also show C/C++ frames")
      .flag("--signal", options->only_signal, "get Python stacks only with a signal")
      .flag("--hung", options->hung, "the step makes no progress, so a signal disturbs nothing");
  return command.internal().action([options] { return dump_node(*options); });
}

}  // namespace muster::command
