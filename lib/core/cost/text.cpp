#include "core/cost/text.hpp"

#include "core/text/amounts.hpp"

#include <fmt/format.h>

namespace muster::cost {
namespace {

std::string part(std::string_view name, Time time) {
  return fmt::format("{} {}", name, text::duration(time));
}

std::string part_if_any(std::string_view name, Time time) {
  return time.count() > 0 ? part(name, time) + ", " : std::string();
}

}  // namespace

std::vector<Part> lost_parts(const Account& account) {
  std::vector<Part> parts{{"launch", account.start}, {"detection", account.detection},
                          {"hang", account.hang},    {"stop", account.stop},
                          {"pause", account.pauses}, {"queue", account.queue}};
  if (!account.has_progress) return parts;
  parts.push_back({"lost_work", account.lost_work});
  parts.push_back({"program_start", account.startup});
  return parts;
}

std::string to_text(const Account& account) {
  const auto share = effective_share(account) * 100;
  auto text =
      account.has_progress
          ? fmt::format("trained {:.1f} % of {}; {}, {}, ", share, text::duration(account.wall),
                        part("lost work", account.lost_work),
                        part("program start", account.startup))
          : fmt::format("all ranks ran {:.1f} % of {}; ", share, text::duration(account.wall));
  return text + part_if_any("queue", account.queue) + part_if_any("hang", account.hang) +
         fmt::format("{}, {}, {}, {}", part("start", account.start),
                     part("detection", account.detection), part("stop", account.stop),
                     part("pauses", account.pauses));
}

}  // namespace muster::cost
