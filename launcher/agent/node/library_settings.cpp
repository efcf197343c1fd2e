#include "launcher/agent/node/library_settings.hpp"

#include "core/profile/overriding_variables.hpp"
#include "core/text/list.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>

#include <fmt/format.h>

namespace muster::node {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_bytes = std::size_t{1} << 20;

bool has(const std::vector<lint::Variable>& settings, const std::string& name) {
  return std::ranges::find(settings, name, &lint::Variable::name) != settings.end();
}

// Reads regular files only: opening a pipe would wait for its writer, and a path to a rank's descriptor
// means nothing in this process. Returns why a file cannot be read in full; empty if it can, or if there is
// no file.
std::string why_unread(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status) || path == "/dev/null") return {};
  if (!fs::is_regular_file(status) || path.string().starts_with("/proc/"))
    return "not a regular file";
  return fs::file_size(path, error) > max_bytes ? "larger than 1 MiB" : "";
}

void read_settings(const fs::path& path, LibrarySettings& found) {
  if (auto why = why_unread(path); !why.empty()) {
    found.unread.push_back({path, std::move(why)});
    return;
  }
  std::ifstream file(path);
  std::error_code missing;
  const auto size = fs::file_size(path, missing);
  if (!file || missing) return;
  std::string text(std::min<std::size_t>(size, max_bytes), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  int number = 0;
  for (const auto view : text::split(text, '\n')) {
    ++number;
    const std::string line(view);
    const auto equals = line.find('=');
    if (equals == std::string::npos || equals == 0 || line.front() == '#') continue;
    const auto name = line.substr(0, line.find_last_not_of(" \t", equals - 1) + 1);
    if (has(found.settings, name)) continue;
    found.settings.push_back(
        {name, line.substr(equals + 1), fmt::format("{}:{}", path.string(), number)});
    found.files.push_back(path);
  }
}

bool is_set(const Environment& settings, const char* name) {
  return settings.contains(name) || profile::overriding_variable(name, settings);
}

}  // namespace

LibrarySettings library_settings(const fs::path& root, const Environment& environment,
                                 const fs::path& directory) {
  LibrarySettings found;
  const auto read_from = [&](const char* variable, const char* name) {
    if (const auto* const place = environment.if_set(variable))
      read_settings(directory / *place / name, found);
  };
  if (const auto* const file = environment.if_set("NCCL_CONF_FILE"))
    read_settings(directory / *file, found);
  read_from("HOME", ".nccl.conf");
  read_settings(root / "etc/nccl.conf", found);
  if (!directory.empty()) read_settings(directory / "ucx.conf", found);
  read_from("HOME", "ucx.conf");
  read_from("UCX_CONFIG_DIR", "ucx.conf");
  read_settings(root / "etc/ucx/ucx.conf", found);
  return found;
}

std::vector<lint::Variable> placed_settings(const fs::path& root, const Environment& environment) {
  return library_settings(root, environment, {}).settings;
}

Environment settings_in_files(const fs::path& root, const Environment& environment) {
  Environment settings;
  for (const auto& setting : placed_settings(root, environment))
    settings.add(setting.name, setting.value);
  return settings;
}

void respect(const Environment& settings, std::vector<resources::TaskResources>& tasks) {
  for (auto& task : tasks) {
    if (is_set(settings, "NCCL_IB_HCA")) task.fabric.nccl.clear();
    if (is_set(settings, "UCX_NET_DEVICES")) task.fabric.ucx.clear();
  }
}

}  // namespace muster::node
