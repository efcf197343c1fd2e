#include "core/resources/task_resources.hpp"

namespace muster::resources {

std::string memory_text(const TaskResources& resources) {
  const bool strict = resources.memory.mode == wire::MemoryPolicy::Mode::bind;
  return resources.numa.to_string() + (strict ? " only" : "");
}

}  // namespace muster::resources
