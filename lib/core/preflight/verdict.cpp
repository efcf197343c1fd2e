#include "core/preflight/verdict.hpp"

#include "core/text/list.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::preflight {
namespace {

constexpr double slow_work = 0.6;  // times the median of all nodes
constexpr std::size_t least_nodes = 4;
constexpr std::size_t max_named = 3;

void raise(Verdict& verdict, Kind kind, const std::string& what) {
  if (kind < verdict.kind) return;
  if (kind > verdict.kind) verdict.what.clear();
  verdict.kind = kind;
  verdict.what += (verdict.what.empty() ? "" : "; ") + what;
}

Kind kind_of(Severity severity) {
  if (severity == Severity::failing) return Kind::failing;
  return severity == Severity::slow ? Kind::slow : Kind::warning;
}

std::string partners_text(const Observation& seen, const std::vector<NodeIndex>& partners) {
  std::vector<std::string> names;
  for (const auto node : partners) {
    if (names.size() < max_named) names.push_back(seen.nodes[node]);
  }
  return text::join(names, ", ");
}

// A problem that most nodes share is the fault of the site or the check, not of one node.
void add_local(const Observation& seen, std::vector<Verdict>& found) {
  std::size_t bad = 0;
  for (const auto& local : seen.locals) {
    const auto is_bad = [](const auto& one) { return one.severity > Severity::warning; };
    if (local && std::ranges::any_of(local->findings, is_bad)) ++bad;
  }
  const bool most = 2 * bad > seen.nodes.size();
  for (std::size_t node = 0; node < found.size(); ++node) {
    if (!seen.locals[node]) continue;
    for (const auto& [severity, what] : seen.locals[node]->findings) {
      raise(found[node], most ? Kind::warning : kind_of(severity), what);
    }
  }
  const auto compared = compare(seen.locals, seen.before);
  for (std::size_t node = 0; node < found.size(); ++node) {
    for (const auto& [severity, what] : compared[node]) raise(found[node], kind_of(severity), what);
  }
}

// A CPU that is slow once may have been measured at a bad moment.
void add_work(const Observation& seen, std::vector<Verdict>& found) {
  std::vector<double> best;
  for (const auto& work : seen.work) {
    if (work.size() >= 2) best.push_back(*std::ranges::max_element(work));
  }
  if (best.size() < least_nodes) return;
  const auto middle = best.begin() + static_cast<std::ptrdiff_t>(best.size() / 2);
  std::ranges::nth_element(best, middle);
  for (std::size_t node = 0; node < found.size(); ++node) {
    const auto& work = seen.work[node];
    if (work.size() < 2) continue;
    const auto share = *std::ranges::max_element(work) / *middle;
    if (share >= slow_work) continue;
    raise(found[node], Kind::slow,
          fmt::format("its CPU runs at only {:.0f} % of the usual speed", share * 100));
  }
}

void add_links(const Observation& seen, std::vector<Verdict>& found) {
  const auto stands = standings(seen.nodes.size(), seen.links);
  for (std::size_t node = 0; node < found.size(); ++node) {
    const auto& [standing, what, partners] = stands[node];
    const auto with = partners_text(seen, partners);
    if (standing == Standing::slow)
      raise(found[node], Kind::slow, fmt::format("{} (with {})", what, with));
    if (standing == Standing::failing) {
      raise(found[node], Kind::failing, fmt::format("{} (with {})", what, with));
    }
    if (standing == Standing::suspect && seen.nodes.size() > 2)
      raise(found[node], Kind::warning,
            fmt::format("{} (with {}; either end may be at fault)", what, with));
  }
}

void add_nccl(const Observation& seen, std::vector<Verdict>& found) {
  const auto findings = nccl_findings(seen.nccl, seen.nodes);
  for (std::size_t node = 0; node < found.size(); ++node) {
    for (const auto& [severity, what] : findings[node]) raise(found[node], kind_of(severity), what);
  }
}

}  // namespace

std::string_view to_string(Kind kind) {
  constexpr std::array<std::string_view, 5> words{"well", "warning", "no_answer", "slow",
                                                  "failing"};
  return words.at(static_cast<std::size_t>(kind));
}

std::vector<Verdict> verdicts(const Observation& seen) {
  std::vector<Verdict> found(seen.nodes.size());
  add_local(seen, found);
  add_work(seen, found);
  add_links(seen, found);
  add_nccl(seen, found);
  for (std::size_t node = 0; node < found.size(); ++node) {
    if (!seen.answered[node]) raise(found[node], Kind::no_answer, "no answer");
  }
  return found;
}

std::string undecided(const Observation& seen) {
  if (seen.nodes.size() != 2 || seen.links.empty() || seen.links.back().measure) return {};
  return fmt::format(
      "{} and {} cannot reach each other ({}); with two nodes, either may be at fault",
      seen.nodes[0], seen.nodes[1], seen.links.back().why);
}

restart::Candidate lowered(restart::Candidate candidate, const Verdict& verdict) {
  auto fitness = restart::Fitness::fit;
  if (verdict.kind == Kind::no_answer) fitness = restart::Fitness::doubtful;
  if (verdict.kind >= Kind::slow) fitness = restart::Fitness::suspect;
  if (fitness <= candidate.fitness) return candidate;
  candidate.fitness = fitness;
  candidate.why = "preflight: " + verdict.what;
  return candidate;
}

}  // namespace muster::preflight
