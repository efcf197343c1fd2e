#include "launcher/tools/health/node_check.hpp"

#include "launcher/tools/health/gpu_memory.hpp"
#include "launcher/tools/health/health_command.hpp"
#include "launcher/tools/health/old_processes.hpp"

namespace muster::health {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds exit_timeout{700};
constexpr milliseconds command_kill_timeout{300};

}  // namespace

milliseconds max_time(const NodeCheckOrder& order) {
  milliseconds time = exit_timeout;
  if (order.gpus) time += order.memory_timeout + topology::nvml_timeout;
  if (order.health) time += order.health_timeout + command_kill_timeout;
  return time;
}

restart::NodeCheck check_node(const NodeCheckOrder& order, const std::string& node,
                              const std::string& nvml) {
  restart::NodeCheck check;
  check.node = node;
  check.old_processes = end_processes_of_steps(order.steps, exit_timeout).value_or(0);
  check.gpu_memory_held = order.gpus && gpu_memory_is_held(nvml, order.memory_timeout);
  if (order.health) {
    auto result = run_health_command(*order.health, order.health_timeout);
    check.health = result.health;
    check.why = std::move(result.why);
  }
  return check;
}

}  // namespace muster::health
