// The report of a run of several groups. Pure.
#pragma once

#include "core/groups/course.hpp"
#include "core/report/screen.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::groups {

// What a group has left behind.
struct Left {
  Group group;
  std::vector<std::string> reports;  // of its supervisors, in JSON; none if nothing ever failed
};

// The group whose report is shown first: the first that failed, or else one that has a report.
std::optional<std::size_t> group_to_show(std::span<const Left> groups,
                                         std::optional<std::uint32_t> first_failed);

// "group 2: done after 3 attempts", one line for each.
std::vector<std::string> summary_lines(std::span<const Left> groups);

// As report::to_text(), of the last report of that group.
std::string to_text(const Left& group, const report::TextStyle& style);

// As report::to_json(), of group_to_show(), with the exit code of the run and a list of all groups.
std::string to_json(std::span<const Left> groups, std::optional<std::uint32_t> first_failed,
                    int exit_code);

}  // namespace muster::groups
