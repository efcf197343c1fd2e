#include "core/hang/text.hpp"

#include "core/dump/text.hpp"
#include "core/hang/hint.hpp"
#include "core/option/conversion.hpp"
#include "core/option/keys.hpp"
#include "core/status/text.hpp"
#include "core/text/amounts.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

namespace muster::hang {
namespace {

constexpr std::size_t max_groups = 3;

std::vector<const dump::Group*> suspected(const dump::Dump& dump) {
  std::vector<const dump::Group*> groups;
  for (const auto& group : dump.groups) {
    if (group.standing != dump::Standing::waiting) groups.push_back(&group);
  }
  return groups;
}

std::string option_text(const option::Hang& rule) {
  option::Values values;
  values.hang = rule;
  return "hang=" + option::value_of(values, option::Key("hang"));
}

}  // namespace

std::string suspects(const dump::Dump& dump) {
  const auto groups = suspected(dump);
  std::string text;
  for (std::size_t i = 0; i < std::min(groups.size(), max_groups); ++i) {
    text += (i == 0 ? "" : "; ") + dump::group_line(*groups[i]);
  }
  if (groups.size() > max_groups)
    text += "; " + text::count(groups.size() - max_groups, "more group");
  if (text.empty() && dump.groups.size() == 1)
    text = "all in the same place: " + dump::group_line(dump.groups.front());
  const auto advice = hint(dump);
  return advice.empty() ? text : text + "; " + advice;
}

std::string with_rendezvous(const std::string& rendezvous, const std::string& suspects) {
  if (rendezvous.empty()) return suspects;
  return fmt::format("rendezvous: {}{}{}", rendezvous, suspects.empty() ? "" : "; ", suspects);
}

std::string suspected_node(const dump::Dump& dump) {
  const auto groups = suspected(dump);
  return groups.empty() ? std::string() : groups.front()->node;
}

std::string line(const option::Hang& rule, const Silence& silence,
                 std::chrono::system_clock::time_point now, const std::string& found) {
  const auto since =
      now - std::chrono::duration_cast<std::chrono::system_clock::duration>(silence.time);
  return fmt::format("{}: {} for {}, since {}{}{}", option_text(rule),
                     silence.by_collectives
                         ? "every rank is in a collective, and no collective has finished"
                         : "no rank has made progress",
                     text::duration(silence.time), dump::time_text(since, "%Y-%m-%d %H:%M:%S UTC"),
                     found.empty() ? "" : ": ", found);
}

std::string moved_again_text(const option::Hang& rule) {
  return option_text(rule) +
         ": a rank has made progress since the dump, so muster does not stop the ranks";
}

}  // namespace muster::hang
