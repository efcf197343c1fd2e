// The start of an attempt from its launch on: by when the nodes, and then the ranks, had come how far.
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

// What everybody passes, counted from the launch.
struct Milestone {
  std::string_view name;
  std::string_view kind;   // of the time before it, in the style sheet
  std::string_view spent;  // that time, in words
  std::chrono::nanoseconds first{0};
  std::chrono::nanoseconds median{0};
  std::chrono::nanoseconds last{0};
  std::string last_one;  // "node3", "rank 7 on node3"; ready for the page
};

// Those that are known, in order.
std::vector<Milestone> milestones_of(const report::Report& report, const Bootstraps& bootstraps);

// As a bar and a table; empty where fewer than two are known.
std::string course_of(const std::vector<Milestone>& milestones);

// How long the agents waited for the last of them; empty for one node, and where it is not known.
std::string rendezvous_of(const report::Report& report);

}  // namespace muster::page
