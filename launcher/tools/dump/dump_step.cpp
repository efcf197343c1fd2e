#include "launcher/tools/dump/dump_step.hpp"

#include "core/contains.hpp"
#include "core/dump/message.hpp"
#include "core/dump/ranks.hpp"
#include "core/error.hpp"
#include "launcher/slurm/side_step.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace muster::dump {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t max_native_ranks = 4;
constexpr std::size_t max_dump_output = std::size_t{512} << 20;

void add_silent_nodes(const DumpOrder& order, Looks& looks) {
  for (const auto& node : order.step.nodes) {
    if (contains(looks.nodes, node)) continue;
    looks.remarks.push_back(
        {node, fmt::format("no full answer within {} s", order.timeout.count() / 1000)});
  }
}

// Throws an Error that contains srun's first line if no node answers.
Looks ask_nodes(const DumpOrder& order, const Environment& environment) {
  Reader reader;
  reader.take(slurm::run_on_nodes(
      dump_command(order, environment),
      {.timeout = order.timeout, .max_bytes = max_dump_output, .interrupt = order.interrupt}));
  auto looks = reader.looks();
  if (!looks.processes.empty() || !looks.nodes.empty()) return looks;
  throw Error(fmt::format("cannot inspect the ranks of step {}: {}", order.step.name,
                          reader.other_line().empty() ? fmt::format("no node answered within {} s",
                                                                    order.timeout.count() / 1000)
                                                      : reader.other_line()));
}

std::vector<std::string> nodes_of(const Dump& dump, const std::set<std::uint32_t>& ranks) {
  std::set<std::string> nodes;
  for (const auto& group : dump.groups) {
    if (ranks.contains(group.ranks.front())) nodes.insert(group.node);
  }
  return {nodes.begin(), nodes.end()};
}

// Only one rank of each group, because the rank is paused during that time.
void add_native(Dump& dump, DumpOrder order, const Environment& environment,
                Clock::duration time_left) {
  order.ranks = representatives(dump, max_native_ranks);
  order.step.nodes = nodes_of(dump, order.ranks);
  order.timeout = std::chrono::duration_cast<milliseconds>(time_left);
  if (order.ranks.empty()) return;
  try {
    add_native_looks(dump, ask_nodes(order, environment));
  } catch (const Error& error) {
    dump.remarks.emplace_back(error.what());
  }
}

struct Share {
  std::optional<std::uint32_t> offset;
  std::vector<std::string> nodes;
};

// The nodes to ask in each component. An ordinary job has one.
std::vector<Share> shares_of(const RunningStep& step) {
  if (step.components.empty()) return {{{}, step.nodes}};
  std::vector<Share> shares;
  for (const auto& component : step.components) {
    Share share{component.offset, {}};
    std::ranges::copy_if(component.nodes, std::back_inserter(share.nodes),
                         [&](const auto& node) { return contains(step.nodes, node); });
    if (!share.nodes.empty()) shares.push_back(std::move(share));
  }
  return shares;
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::vector<std::string> next_component(const slurm::SideStep& side) {
  std::vector<std::string> words{":"};
  append(words, slurm::side_step_options(side));
  return words;
}

// Every task of a heterogeneous job's step has the leader's number in its environment.
std::vector<std::string> node_words(const DumpOrder& order) {
  // The working directory may be on the file system that hangs.
  std::vector<std::string> words{"--chdir=/", order.program, "dump-node",
                                 "--step=" + order.step.name};
  if (!order.ranks.empty()) {
    const std::vector<std::uint32_t> ranks(order.ranks.begin(), order.ranks.end());
    words.push_back("--ranks=" + ranks_text(ranks, std::numeric_limits<std::size_t>::max()));
  }
  if (order.native) words.emplace_back("--native");
  if (order.signal == SignalUse::only) words.emplace_back("--signal");
  if (order.signal == SignalUse::hung) words.emplace_back("--hung");
  return words;
}

}  // namespace

std::vector<std::string> dump_command(const DumpOrder& order, const Environment& environment) {
  if (order.step.without_slurm) {
    auto here = node_words(order);
    here.erase(here.begin());  // srun's
    return here;
  }
  slurm::SideStep side{.srun = order.srun,
                       .job = order.step.job(),
                       .name = "muster-dump",
                       .nodes = order.step.nodes};
  std::vector<std::string> words;
  for (const auto& [offset, nodes] : shares_of(order.step)) {
    side.nodes = nodes;
    side.het_group = offset;
    append(words, words.empty() ? slurm::side_step_words(side, environment) : next_component(side));
    append(words, node_words(order));
  }
  return words;
}

Dump take_dump(const DumpOrder& order, const Environment& environment) {
  const auto begin = Clock::now();
  const auto time = std::chrono::system_clock::now();
  auto first = order;
  first.native = false;
  auto looks = ask_nodes(first, environment);
  add_silent_nodes(order, looks);
  auto dump = make_dump({order.step.name, order.step.tasks, order.ranks}, std::move(looks));
  dump.time = time;
  if (order.native) add_native(dump, order, environment, order.timeout - (Clock::now() - begin));
  dump.took = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
  return dump;
}

}  // namespace muster::dump
