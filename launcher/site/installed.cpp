#include "launcher/site/installed.hpp"

#include "launcher/site/install_paths.hpp"

#include <filesystem>

namespace muster::site {

namespace fs = std::filesystem;

std::string installed_version() {
  return configured::version;
}

std::string installed_program() {
  std::error_code unknown;
  return fs::read_symlink("/proc/self/exe", unknown).string();
}

std::string installed_config() {
  return configured::config;
}

std::string installed_profiles() {
  std::error_code unknown;
  const auto program = fs::read_symlink("/proc/self/exe", unknown);
  if (unknown) return configured::profiles;
  const auto beside = (program.parent_path() / configured::profiles_beside).lexically_normal();
  return fs::is_directory(beside, unknown) ? beside.string() : configured::profiles;
}

}  // namespace muster::site
