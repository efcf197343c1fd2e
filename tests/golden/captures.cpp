#include "captures.hpp"

#include "core/error.hpp"
#include "core/topology/hwloc/load.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>

namespace muster::golden {

using Path = std::filesystem::path;

namespace {

std::optional<Path> file_of(const std::string& name) {
  for (const auto& directory : captures_directories())
    if (Path file = directory / (name + ".xml"); std::filesystem::exists(file)) return file;
  return std::nullopt;
}

bool is_readable(const Path& file) try {
  topology::hwloc::load_xml_topology(file);
  return true;
} catch (const Error&) {
  return false;
}

}  // namespace

std::vector<Path> captures_directories() {
  const char* variable = std::getenv("MUSTER_TOPOLOGIES");
  std::istringstream list(variable != nullptr ? variable : MUSTER_TOPOLOGIES);
  std::vector<Path> directories;
  for (std::string directory; std::getline(list, directory, ':');)
    if (!directory.empty()) directories.emplace_back(directory);
  return directories;
}

std::optional<Path> captures_directory() {
  const auto directories = captures_directories();
  return directories.empty() ? std::nullopt : std::optional(directories.front());
}

std::vector<Path> capture_files() {
  std::vector<Path> files;
  for (const auto& directory : captures_directories())
    for (const auto& entry : std::filesystem::directory_iterator(directory))
      if (entry.path().extension() == ".xml") files.push_back(entry.path());
  std::ranges::sort(files, {}, &Path::filename);
  return files;
}

std::vector<std::string> readable_captures() {
  std::vector<std::string> names;
  for (const auto& file : capture_files())
    if (is_readable(file)) names.push_back(file.stem().string());
  return names;
}

bool has_capture(const std::string& name) {
  return file_of(name).has_value();
}

topology::Topology load_capture(const std::string& name) {
  return topology::hwloc::load_xml_topology(file_of(name).value());
}

binding::BindingRequest whole_node(const topology::Topology& topology) {
  binding::BindingRequest request;
  request.allowed = topology.pus;
  for (std::size_t gpu = 0; gpu < topology.gpus.size(); ++gpu) request.gpus.push_back(gpu);
  request.tasks = std::max<std::size_t>(1, topology.gpus.size());
  return request;
}

}  // namespace muster::golden
