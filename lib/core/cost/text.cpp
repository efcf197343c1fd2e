#include "core/cost/text.hpp"

#include "core/text/amounts.hpp"

#include <fmt/format.h>

namespace muster::cost {
namespace {

std::string part(std::string_view name, Time time) {
  return fmt::format("{} {}", name, text::duration(time));
}

std::string held_up(const Account& account) {
  return account.held_up.count() > 0 ? fmt::format(" ({} of it lost to slow ranks or links)",
                                                   text::duration(account.held_up))
                                     : std::string();
}

std::string part_if_any(std::string_view name, Time time) {
  return time.count() > 0 ? part(name, time) + ", " : std::string();
}

// What is known about the time in which all ranks ran.
std::string trained(const Account& account) {
  const auto share = effective_share(account) * 100;
  const auto wall = text::duration(account.wall) + held_up(account);
  if (account.has_progress)
    return fmt::format("trained {:.1f} % of {}; {}, {}, ", share, wall,
                       part("lost work", account.lost_work),
                       part("program start", account.startup));
  if (account.has_startup)
    return fmt::format("trained at most {:.1f} % of {}; {}, {}, ", share, wall,
                       part("lost work at most", lost_work_limit(account)),
                       part("program start at least", account.startup));
  return fmt::format("all ranks ran {:.1f} % of {}; ", share, wall);
}

}  // namespace

std::string to_text(const Account& account) {
  return trained(account) + part_if_any("queue", account.queue) +
         part_if_any("hang", account.hang) +
         fmt::format("{}, {}, {}, {}", part("start", account.start),
                     part("detection", account.detection), part("stop", account.stop),
                     part("pauses", account.pauses));
}

}  // namespace muster::cost
