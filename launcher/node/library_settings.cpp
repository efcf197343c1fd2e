#include "launcher/node/library_settings.hpp"

#include "core/profile/overriding_variables.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>

#include <fmt/format.h>

namespace muster::node {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_line = 4096;
constexpr int max_lines = 1000;

bool has(const std::vector<lint::Variable>& settings, const std::string& name) {
  return std::ranges::find(settings, name, &lint::Variable::name) != settings.end();
}

// Only a plain file is read: opening a pipe would wait for its writer.
void read_settings(const fs::path& path, std::vector<lint::Variable>& settings) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return;
  std::ifstream file(path);
  std::string line;
  for (int i = 0; i < max_lines && std::getline(file, line) && line.size() <= max_line; ++i) {
    const auto equals = line.find('=');
    if (equals == std::string::npos || equals == 0 || line.front() == '#') continue;
    const auto name = line.substr(0, line.find_last_not_of(" \t", equals - 1) + 1);
    if (has(settings, name)) continue;
    settings.push_back({name, line.substr(equals + 1), fmt::format("{}:{}", path.string(), i + 1)});
  }
}

bool is_set(const Environment& settings, const char* name) {
  return settings.contains(name) || profile::overriding_variable(name, settings);
}

}  // namespace

std::vector<lint::Variable> placed_settings(const fs::path& root, const Environment& environment) {
  std::vector<lint::Variable> settings;
  const auto read_from = [&](const char* variable, const char* name) {
    const auto place = environment.find(variable);
    if (place != environment.end()) read_settings(fs::path(place->second) / name, settings);
  };
  if (const auto file = environment.find("NCCL_CONF_FILE"); file != environment.end())
    read_settings(file->second, settings);
  read_from("HOME", ".nccl.conf");
  read_settings(root / "etc/nccl.conf", settings);
  read_from("HOME", "ucx.conf");
  read_from("UCX_CONFIG_DIR", "ucx.conf");
  read_settings(root / "etc/ucx/ucx.conf", settings);
  return settings;
}

Environment settings_in_files(const fs::path& root, const Environment& environment) {
  Environment settings;
  for (const auto& setting : placed_settings(root, environment))
    settings.emplace(setting.name, setting.value);
  return settings;
}

void respect(const Environment& settings, std::vector<resources::TaskResources>& tasks) {
  for (auto& task : tasks) {
    if (is_set(settings, "NCCL_IB_HCA")) task.fabric.nccl.clear();
    if (is_set(settings, "UCX_NET_DEVICES")) task.fabric.ucx.clear();
  }
}

}  // namespace muster::node
