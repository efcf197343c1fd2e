// What each task sends to the task that plans for its node.
#pragma once

#include "core/cpuset.hpp"
#include "core/environment.hpp"
#include "core/layout/ids.hpp"
#include "core/record/limits.hpp"

#include <cstddef>
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
  std::string failure;  // why it cannot continue; empty if it can

  friend bool operator==(const TaskReport&, const TaskReport&) = default;
};
template <class Io>
void fields(Io& io, TaskReport& report) {
  constexpr record::Max text{std::size_t{64} << 10};
  Environment::Variables gpus(report.gpus.begin(), report.gpus.end());
  io(report.procid)(report.local_id)(report.cpus);
  io(gpus, record::Max{64}, text, text)(report.failure, text);
  if constexpr (Io::reads) {
    for (const auto& [name, value] : gpus) report.gpus.set(name, value);
  }
}

std::string encode(const TaskReport& report);

// No value for a text that encode cannot have written.
std::optional<TaskReport> decode_report(std::string_view bytes);

}  // namespace muster::exec
