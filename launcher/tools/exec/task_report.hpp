// What each task sends to the task that plans for its node.
#pragma once

#include "core/cpuset.hpp"
#include "core/environment.hpp"
#include "core/layout/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::exec {

struct TaskReport {
  layout::ProcId procid = 0;
  std::uint32_t local_id = 0;
  CpuSet cpus;          // CPUs that the task may run on
  Environment gpus;     // the variables that say which GPUs it sees
  std::string failure;  // why it cannot go on; empty when it can

  friend bool operator==(const TaskReport&, const TaskReport&) = default;
};

std::string encode(const TaskReport& report);

// Nothing for a text that encode cannot have written.
std::optional<TaskReport> decode_report(std::string_view bytes);

}  // namespace muster::exec
