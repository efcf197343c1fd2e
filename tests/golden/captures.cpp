#include "captures.hpp"

#include "core/topology/load.hpp"

#include <algorithm>
#include <cstdlib>

namespace muster::test {

std::optional<std::filesystem::path> captures_directory() {
  const char* variable = std::getenv("MUSTER_TOPOLOGIES");
  const std::filesystem::path directory = variable != nullptr ? variable : MUSTER_TOPOLOGIES;
  if (directory.empty()) return std::nullopt;
  return directory;
}

std::vector<std::string> all_captures() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(captures_directory().value()))
    if (entry.path().extension() == ".xml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

bool has_capture(const std::string& name) {
  const auto directory = captures_directory();
  return directory && std::filesystem::exists(*directory / (name + ".xml"));
}

Topology load_capture(const std::string& name) {
  return load_xml_topology(captures_directory().value() / (name + ".xml"));
}

BindingRequest whole_node(const Topology& topology) {
  BindingRequest request;
  request.allowed = topology.pus;
  for (std::size_t gpu = 0; gpu < topology.gpus.size(); ++gpu) request.gpus.push_back(gpu);
  request.tasks = std::max<std::size_t>(1, topology.gpus.size());
  return request;
}

}  // namespace muster::test
