#include "core/plan/inspector.hpp"

namespace muster::plan {

std::vector<EnvVar> inspector_variables(const InspectorWish& wish) {
  const auto* const plugin =
      wish.amd ? "librccl-profiler-inspector.so" : "libnccl-profiler-inspector.so";
  std::vector<EnvVar> variables{
      {.name = "NCCL_PROFILER_PLUGIN", .value = plugin, .origin = wish.origin},
      {.name = "NCCL_INSPECTOR_ENABLE", .value = "1", .origin = wish.origin}};
  if (!wish.directory.empty()) {
    variables.push_back(
        {.name = "NCCL_INSPECTOR_DUMP_DIR", .value = wish.directory, .origin = wish.origin});
  }
  return variables;
}

}  // namespace muster::plan
