#include "core/report/suspects_text.hpp"

#include "core/report/exit_status.hpp"
#include "core/report/moments.hpp"
#include "core/report/screen.hpp"
#include "core/text/amounts.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace muster::report {
namespace {

constexpr std::size_t max_ranks = 32;

bool has_left(const FailedRank& rank) {
  return exit_code(rank.end.wait_status) == 0 && !rank.end.ended_by_muster;
}

struct Groups {
  std::vector<std::uint32_t> failed;  // by themselves
  std::vector<std::uint32_t> left;
  bool ended = false;  // muster stopped one or more of them
  std::chrono::nanoseconds spread{0};
};

Groups groups_of(const Report& report) {
  Groups groups;
  std::optional<Moment> first;
  std::optional<Moment> last;
  for (const auto& rank : report.suspects) {
    const auto number = rank.end.place.rank;
    if (has_left(rank)) {
      groups.left.push_back(number);
    } else if (rank.end.ended_by_muster) {
      groups.ended = true;
    } else {
      groups.failed.push_back(number);
      if (!first || rank.time.time < first->time) first = rank.time;
      if (!last || last->time < rank.time.time) last = rank.time;
    }
  }
  std::ranges::sort(groups.failed);
  std::ranges::sort(groups.left);
  if (first && last) groups.spread = between(*first, *last);
  return groups;
}

// "rank 1", "rank 1 or 3", "ranks 0-2,5".
std::string named(const std::vector<std::uint32_t>& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  if (ranks.size() == 2) return fmt::format("rank {} or {}", ranks[0], ranks[1]);
  return "one of ranks " + text::ranges_within(ranks, max_ranks);
}

}  // namespace

std::string suspects_text(const Report& report) {
  const auto groups = groups_of(report);
  if (groups.failed.empty()) {
    return groups.left.empty()
               ? "each rank that failed by itself had lost a peer, and that peer gave no reason"
               : fmt::format(
                     "{} may be the cause: it left early with exit code 0, and its peers then "
                     "lost their connection to it",
                     named(groups.left));
  }
  const auto others = groups.left.empty() ? std::string("a rank that muster stopped")
                                          : named(groups.left) + ", which left with exit code 0";
  const bool has_others = groups.ended || !groups.left.empty();
  if (groups.failed.size() == 1) {
    return fmt::format("rank {} exited first without giving a reason; {}{} may be the cause",
                       groups.failed[0], others, groups.left.empty() ? "" : ",");
  }
  return fmt::format("{}{}: they exited {} apart without giving a reason", named(groups.failed),
                     has_others ? ", or " + others : "", text::duration(groups.spread));
}

std::string suspects_hint(const Report& report, bool has_logs) {
  if (has_logs || (report.first && report.first->lost_peer)) return {};
  return "logs=DIR keeps the last lines of each rank's output";
}

}  // namespace muster::report
