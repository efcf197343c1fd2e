#include "core/status/text.hpp"

#include "core/at_store.hpp"
#include "core/cost/text.hpp"
#include "core/slow/text.hpp"
#include "core/text/amounts.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::status {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t line_columns = 80;
constexpr std::size_t max_node_name = 16;  // the columns left out of 80

std::string node_name(const std::string& name) {
  auto shown = text::printable(name);
  if (shown.size() > max_node_name) shown = shown.substr(0, max_node_name - 1) + "~";
  return shown;
}

struct Scaled {
  std::string number;
  const char* unit;
};

Scaled scaled(std::int64_t bytes) {
  constexpr std::array<const char*, 5> units{"", "k", "M", "G", "T"};
  auto value = static_cast<double>(std::max<std::int64_t>(bytes, 0));
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  const bool whole = unit == 0 || value >= 9.95;
  return {whole ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value), units.at(unit)};
}

// "1.2M": at most four characters up to 999 TB.
std::string short_bytes(std::int64_t bytes) {
  const auto [number, unit] = scaled(bytes);
  return number + unit;
}

std::string rate_text(const std::optional<Rates>& rates, std::optional<Traffic> Rates::*kind) {
  if (!rates) return "";
  const auto& traffic = *rates.*kind;
  return traffic ? short_bytes(traffic->in) + "/" + short_bytes(traffic->out) : "";
}

std::string headline(const Step& step, const text::Paint& paint) {
  std::string line;
  if (step.run && step.run->group)
    line = fmt::format("group {} of {}, ", step.run->group->number, step.run->group->count);
  line += fmt::format("step {}: attempt {} for {}, {} of {} ranks up, ", step.name, step.attempt,
                      text::duration(step.age), step.ranks_up, step.ranks);
  line += text::count(step.restarts_left, "restart") + " left";
  if (step.ending) line += ", ending";
  return paint.bold(line) + '\n';
}

std::string output_line(const Step& step) {
  if (!step.logs) return "last output: unknown without logs=\n";
  const auto output = last_output(step);
  if (!output) return "last output: none yet\n";
  return fmt::format(
      "last output: {} ago, rank {}; {} in all files\n", text::duration(output->age), output->rank,
      text::bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(output->bytes, 0))));
}

// After a restart, and if the program shows how far it has got. The parts would not fit in 80 columns.
std::string cost_line(const Step& step) {
  if (!step.run || (step.run->attempts < 2 && !step.run->time.has_progress)) return {};
  const auto text = cost::to_text(step.run->time);
  return "since the first launch: " + text.substr(0, text.find(';')) + '\n';
}

std::string lost_line(const Step& step, const text::Paint& paint) {
  std::string names;
  std::size_t count = 0;
  constexpr std::size_t max_named = 3;
  for (const auto& node : step.nodes) {
    if (node.state != "lost") continue;
    if (++count > max_named) continue;
    names += (names.empty() ? "" : ", ") + node_name(node.name);
    if (node.silence) names += fmt::format(" ({} ago)", text::duration(*node.silence));
  }
  if (count == 0) return {};
  if (count > max_named) names += fmt::format(" and {} more", count - max_named);
  return paint.red(fmt::format("lost: {}", names)) + '\n';
}

std::vector<NodeAtStore> at_store(const Step& step) {
  std::vector<NodeAtStore> nodes;
  for (const auto& node : step.nodes)
    nodes.push_back({node.name, node.counts ? node.counts->store : std::nullopt});
  return nodes;
}

}  // namespace

// A node has a name once its agent has connected.
std::string start_text(const Step& step) {
  if (step.nodes.empty()) return {};
  const auto ready =
      std::ranges::count_if(step.nodes, [](const auto& node) { return !node.name.empty(); });
  auto text = fmt::format("nodes ready {}/{}, ", ready, step.nodes.size());
  if (step.ranks > 0) text += fmt::format("ranks up {}/{}, ", step.ranks_up, step.ranks);
  return text + fmt::format("attempt {}, {} s", step.attempt, step.age.count() / 1000);
}

std::string to_text(const Step& step, const text::TableStyle& style) {
  const text::Paint paint(style.color);
  text::Columns columns({"NODE", "STATE", "UP", "NET in/out", "RDMA in/out", "FILE in/out"});
  for (const auto& node : step.nodes) {
    columns.add({node_name(node.name), node.state, fmt::format("{}/{}", node.ranks_up, node.ranks),
                 rate_text(node.rates, &Rates::network), rate_text(node.rates, &Rates::rdma),
                 rate_text(node.rates, &Rates::files)});
  }
  auto text = headline(step, paint) + cost_line(step) + output_line(step) + lost_line(step, paint);
  constexpr std::string_view rendezvous = "rendezvous: ";
  const auto met = at_store_text(at_store(step), step.ranks, line_columns - rendezvous.size());
  if (!met.empty()) text.append(rendezvous).append(met).append("\n");
  for (const auto& each : step.slow) text += paint.red("slow: " + slow::line(each)) + '\n';
  if (!step.nodes.empty()) text += columns.text(paint);
  return text;
}

}  // namespace muster::status
