// One node's part of a preflight: it examines itself, and runs the tests that the supervisor orders.
#pragma once

#include "core/environment.hpp"
#include "core/record/limits.hpp"
#include "launcher/channel/client.hpp"
#include "launcher/site/site.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace muster::preflight {

// The environment variable of the step's srun that contains the key, the supervisor's addresses and the
// total time. The node's process removes it after reading it.
inline constexpr const char* step_variable = "SLURM_MUSTER_PREFLIGHT";

struct StepOrder {
  secret::Key key{};
  channel::Address supervisor = {};
  std::chrono::milliseconds limit{0};
  std::vector<std::string> interfaces = {};  // globs from network=, or from the site's rule

  friend bool operator==(const StepOrder&, const StepOrder&) = default;
};
template <class Io>
void fields(Io& io, StepOrder& order) {
  io(order.key)(order.supervisor)(order.limit,
                                  record::Range{order.limit.zero(), std::chrono::hours(1)});
  io(order.interfaces, record::Max{256}, record::Max{256});
}

std::string to_text(const StepOrder& order);

// Throws Error for a text that to_text() cannot have written.
StepOrder step_order(const std::string& text);

// Returns the exit code: 0 if the supervisor received everything.
int run_node(const StepOrder& order, const site::SiteOptions& site, const Environment& environment);

}  // namespace muster::preflight
