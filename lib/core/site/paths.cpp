// Where the user's configuration and the profiles are.
#include "core/site/config.hpp"

namespace muster::site {
namespace {

// The XDG specification says to ignore a relative path.
std::string absolute_variable(const Environment& environment, std::string_view name) {
  const auto& path = environment.get(name);
  return path.starts_with('/') ? path : std::string{};
}

// ~/.config/muster; empty if HOME is not set.
std::string user_directory(const Environment& environment) {
  const std::string config = absolute_variable(environment, "XDG_CONFIG_HOME");
  if (!config.empty()) return config + "/muster";
  const std::string home = absolute_variable(environment, "HOME");
  return home.empty() ? std::string{} : home + "/.config/muster";
}

}  // namespace

std::string user_config_path(const Environment& environment) {
  const std::string directory = user_directory(environment);
  return directory.empty() ? directory : directory + "/config.yaml";
}

std::vector<std::string> profile_directories(const Config& user, const Config& site,
                                             const Environment& environment,
                                             const std::string& builtin) {
  std::vector<std::string> directories = user.profile_dirs;
  const std::string own = user_directory(environment);
  if (!own.empty()) directories.push_back(own + "/profiles");
  directories.insert(directories.end(), site.profile_dirs.begin(), site.profile_dirs.end());
  directories.push_back(builtin);
  return directories;
}

}  // namespace muster::site
