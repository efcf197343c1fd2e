// A step's plan as text for people.
#include "core/explain/plan_view.hpp"
#include "core/explain/rank_table.hpp"
#include "core/text/amounts.hpp"
#include "core/text/columns.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>

namespace muster::explain {
namespace {

// The most values shown for a variable that differs between ranks.
constexpr std::size_t max_shown = 16;

using PlannedRanks = std::vector<plan::PlannedRank>;

// A variable's values on all ranks.
struct Spread {
  std::string name;
  Origin origin = Origin::profile;
  std::string where;                // where a site's value comes from
  std::vector<std::string> values;  // by place in the list of ranks; empty if not set
  bool one = true;                  // the same on all ranks
};

std::vector<Spread> spreads(const PlannedRanks& ranks) {
  std::vector<Spread> all;
  std::map<std::string, std::size_t, std::less<>> places;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (const auto& variable : ranks[i].task->variables) {
      const auto [found, fresh] = places.emplace(variable.name, all.size());
      if (fresh) all.push_back({variable.name, variable.origin, variable.where, {}, i == 0});
      auto& spread = all[found->second];
      spread.values.resize(i);  // the ranks in between do not have it
      if (!spread.values.empty() && spread.values.front() != variable.value) spread.one = false;
      spread.values.push_back(variable.value);
    }
  }
  for (auto& spread : all) {
    if (spread.values.size() < ranks.size()) spread.one = false;
    spread.values.resize(ranks.size());
  }
  return all;
}

std::string values_text(const Spread& spread) {
  // "IB (/etc/muster/muster.yaml:12:9)"
  const auto where =
      spread.where.empty() ? "" : fmt::format(" ({})", text::printable_path(spread.where));
  if (spread.one) return text::printable(spread.values.front()) + where;
  const auto shown = std::min(max_shown, spread.values.size());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < shown; ++i) texts.push_back(text::printable(spread.values[i]));
  const auto more = spread.values.size() - shown;
  return fmt::format("{}{}{}", text::join(texts, " "),
                     more > 0 ? fmt::format(" ... (+{})", more) : "", where);
}

std::string variable_table(const PlannedRanks& ranks, const text::Paint& paint) {
  const auto all = spreads(ranks);
  std::string text;
  for (const bool one : {true, false}) {
    text::Columns table({one ? "every rank" : "by rank", "from", "value"});
    bool any = false;
    for (const auto& spread : all) {
      if (spread.one != one) continue;
      any = true;
      table.add({spread.name, std::string(to_string(spread.origin)), values_text(spread)});
    }
    if (any) text += '\n' + table.text(paint);
  }
  return text;
}

// "spares: node3 replaces the first node that is lost, node4 the next; ..."
std::string spares_text(const std::vector<std::string>& spares) {
  if (spares.empty()) return {};
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(max_shown, spares.size()); ++i) {
    parts.push_back(fmt::format("{} {}", text::printable(spares[i]),
                                i == 0 ? "replaces the first node that is lost" : "the next"));
  }
  const auto more = spares.size() - parts.size();
  return fmt::format("\nspares: {}{}; {} takes over the ranks of the node that it replaces\n",
                     text::join(parts, ", "), more > 0 ? fmt::format(" ... (+{})", more) : "",
                     spares.size() == 1 ? "it" : "each");
}

std::string headline(const plan::StepPlan& plan, const PlannedRanks& ranks) {
  const auto node = meeting_node(plan);
  return fmt::format("profile {}: {} on {}, rendezvous at {}, port {}{}", plan.profile,
                     text::count(ranks.size(), "rank"), text::count(plan.nodes.size(), "node"),
                     plan.rendezvous.address, plan.rendezvous.port,
                     node.empty() ? "" : fmt::format(" ({})", node));
}

}  // namespace

std::string to_table(const plan::StepPlan& plan, const text::TableStyle& style) {
  const text::Paint paint(style.color);
  const auto ranks = by_rank(plan);
  auto text = paint.bold(headline(plan, ranks)) + "\n\n" + rank_table(plan, paint) +
              spares_text(plan.spares) + variable_table(ranks, paint);
  std::set<std::string> said;
  for (const auto& node : plan.nodes) {
    for (const auto& warning : node.warnings) {
      if (said.insert(warning).second)
        text += '\n' + paint.yellow("warning: " + text::printable_path(warning)) + '\n';
    }
  }
  return text;
}

}  // namespace muster::explain
