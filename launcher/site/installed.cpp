#include "launcher/site/installed.hpp"

#include "launcher/site/install_paths.hpp"

#include <filesystem>

namespace muster::site {

namespace fs = std::filesystem;

namespace {

std::string directory(const char* configured, const char* beside_program) {
  std::error_code unknown;
  const auto program = fs::read_symlink("/proc/self/exe", unknown);
  if (unknown) return configured;
  const auto beside = (program.parent_path() / beside_program).lexically_normal();
  return fs::is_directory(beside, unknown) ? beside.string() : configured;
}

}  // namespace

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
  return directory(configured::profiles, configured::profiles_beside);
}

std::string installed_start_hook() {
  auto found = directory(configured::start_hook, configured::start_hook_beside);
  std::error_code unknown;
  return fs::is_directory(found, unknown) ? found : std::string();
}

}  // namespace muster::site
