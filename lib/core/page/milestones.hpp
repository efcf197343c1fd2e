// The start of an attempt: when, counted from its launch, the nodes and then the ranks reached each stage.
#pragma once

#include "core/page/bootstrap.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace muster::report {
struct Report;
}

namespace muster::page {

// A stage that all nodes or ranks pass, counted from the launch.
struct Milestone {
  std::string_view name;
  std::string_view kind;   // its class in the style sheet, for the time before the milestone
  std::string_view spent;  // what that time was spent on, in words
  std::chrono::nanoseconds first{0};
  std::chrono::nanoseconds median{0};
  std::chrono::nanoseconds last{0};
  std::string last_one;  // "node3", "rank 7 on node3"; escaped for the page
};

// The milestones that are known, in order.
std::vector<Milestone> milestones_of(const report::Report& report, const Bootstraps& bootstraps);

// As a bar and a table; empty if fewer than two are known.
std::string course_of(const std::vector<Milestone>& milestones);

// How long the agents waited for the last one; empty for a single node, or if unknown.
std::string rendezvous_of(const report::Report& report);

}  // namespace muster::page
