// Shows every rank by node, with its final state: a line per node that opens into a table.
#include "core/page/figures.hpp"
#include "core/page/markup.hpp"
#include "core/page/rank_states.hpp"
#include "core/page/sections.hpp"
#include "core/page/table.hpp"
#include "core/report/moments.hpp"
#include "core/report/screen.hpp"
#include "core/text/amounts.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::page {
namespace {

// At most this many get a row, which is a few megabytes of page.
constexpr std::size_t max_ranks = 16384;
constexpr std::size_t max_open = 4;  // nodes whose table is open at first

std::string chip(RankState state, const std::string& text) {
  const auto mark = mark_of(state);
  return fmt::format("<span class='chip {}'>{}{}</span>", class_of(state),
                     mark.empty() ? "" : fmt::format("<b>{}</b>", escaped(mark)), text);
}

std::string legend_of(const std::map<RankState, std::size_t>& counts) {
  std::string items;
  for (const auto& [state, count] : counts) {
    items += fmt::format("<li>{}{}</li>", chip(state, fmt::to_string(count)), words_for(state));
  }
  return fmt::format("<ul class='legend'>{}</ul>\n", items);
}

std::string size_of(const std::optional<OutputFile>& file, const std::string& name,
                    const AttemptFolder& folder) {
  if (!file) return "\u2013";
  return linked(folder.link.empty() ? "" : folder.link + name, text::bytes(file->bytes));
}

std::string last_written(const RankFiles& files) {
  if (!files.out && !files.err) return {};
  const auto out = files.out ? files.out->written : WallTime::min();
  const auto err = files.err ? files.err->written : WallTime::min();
  return clock_text(std::max(out, err));
}

std::string gpus_of(const resources::TaskResources& own) {
  std::string text;
  for (const auto& gpu : own.gpus) {
    const auto name = gpu.index ? fmt::to_string(*gpu.index) : gpu.busid;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", escaped(name));
  }
  return text;
}

std::vector<std::string> row_of(const RankOfNode& rank, const AttemptFolder& folder) {
  const auto found = folder.files.find(rank.rank);
  const auto files = found == folder.files.end() ? RankFiles() : found->second;
  const auto* const task = rank.task;
  const auto file = [&](const char* kind) { return fmt::format("rank-{}.{}", rank.rank, kind); };
  return {
      fmt::to_string(rank.rank),
      task == nullptr ? "" : fmt::to_string(task->local_rank),
      fmt::format("<span class='state {}'>{}</span>", class_of(rank.state), words_for(rank.state)),
      task == nullptr ? "" : task->resources.cpus.to_string(),
      task == nullptr ? "" : gpus_of(task->resources),
      size_of(files.out, file("out"), folder),
      size_of(files.err, file("err"), folder),
      last_written(files)};
}

std::string name_of(const NodeOfRanks& node) {
  return node.node.empty() ? "unknown node" : escaped(node.node);
}

std::string table_of(const NodeOfRanks& node, const AttemptFolder& folder) {
  Table table("Ranks on " + name_of(node), {{"Rank", true},
                                            {"Local rank", true},
                                            {"State"},
                                            {"CPUs"},
                                            {"GPUs"},
                                            {"stdout", true},
                                            {"stderr", true},
                                            {"Last wrote (UTC)"}});
  for (const auto& rank : node.ranks) table.add(row_of(rank, folder));
  return table.html();
}

// "7 stopped by muster, 1 failed first": for readers who cannot see the chips.
std::string counts_text(const NodeOfRanks& node) {
  std::string text;
  for (const auto& [state, count] : counts_of({node})) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, words_for(state));
  }
  return text;
}

std::string state_text(const report::NodeRecord& record) {
  using report::NodeState;
  switch (record.state) {
    case NodeState::silent:
      return "never heard from";
    case NodeState::agent_gone:
      return "muster's agent is gone";
    case NodeState::lost:
      return "no more heartbeats";
    default:
      return {};
  }
}

std::string about(const NodeOfRanks& node) {
  if (node.record == nullptr) return {};
  auto text = state_text(*node.record);
  if (!node.record->remark.empty()) text += (text.empty() ? "" : "; ") + node.record->remark;
  return text.empty() ? text : fmt::format("<p class='remark'>{}</p>", escaped(text));
}

bool is_worth_a_look(const NodeOfRanks& node) {
  return std::ranges::any_of(node.ranks, [](const RankOfNode& rank) {
    return rank.state == RankState::first || rank.state == RankState::stuck ||
           rank.state == RankState::left_early;
  });
}

std::string card(const NodeOfRanks& node, const AttemptFolder& folder, bool open) {
  std::string chips;
  for (const auto& rank : node.ranks) chips += chip(rank.state, fmt::to_string(rank.rank));
  return fmt::format(
      "<details class='node' id='{}'{}><summary><span class='name'>{}</span> <span class='unseen'>{}</span>"
      "<span class='chips' aria-hidden='true'>{}</span></summary>\n{}{}</details>\n",
      anchor_of(node.node), open ? " open='open'" : "", name_of(node), counts_text(node), chips,
      about(node), table_of(node, folder));
}

}  // namespace

std::string nodes_of(const Run& run) {
  const auto nodes = ranks_by_node(run);
  if (nodes.empty()) return {};
  const auto& folder = run.folders.back();
  std::string cards;
  std::size_t ranks = 0;
  std::size_t open = 0;
  std::size_t left_out = 0;
  for (const auto& node : nodes) {
    const bool is_open = is_worth_a_look(node) && open < max_open;
    ranks += node.ranks.size();
    if (ranks > max_ranks && !is_open) {
      ++left_out;
      continue;
    }
    cards += card(node, folder, is_open);
    if (is_open) ++open;
  }
  return fmt::format("{}<div class='nodes'>\n{}</div>\n{}", legend_of(counts_of(nodes)), cards,
                     left_out == 0 ? ""
                                   : fmt::format("<p class='soft'>plan.json has {}.</p>\n",
                                                 text::count(left_out, "more node")));
}

}  // namespace muster::page
