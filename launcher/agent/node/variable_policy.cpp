#include "launcher/agent/node/variable_policy.hpp"

#include "core/error.hpp"
#include "core/option/variable_policy.hpp"
#include "core/request/variable_check.hpp"
#include "launcher/agent/node/library_settings.hpp"

#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace muster::node {
namespace {

namespace fs = std::filesystem;

// Judges by where the path leads, not by its name.
bool is_sites(const fs::path& file, const fs::path& root) {
  std::error_code error;
  const auto real = fs::weakly_canonical(file, error).string();
  return !error && real.starts_with((fs::weakly_canonical(root, error) / "etc").string() + '/');
}

std::vector<EnvVar> of_users_files(const Environment& environment, const fs::path& directory,
                                   const fs::path& root) {
  auto found = library_settings(root, environment, directory);
  for (const auto& [file, why] : found.unread) {
    if (is_sites(file, root)) continue;
    throw Error(fmt::format(
        "{}: {}: muster must check this file's variables against the site's policy; use a "
        "regular file of at most 1 MiB",
        file.string(), why));
  }
  std::vector<EnvVar> variables;
  for (std::size_t i = 0; i < found.settings.size(); ++i) {
    auto& setting = found.settings[i];
    if (is_sites(found.files[i], root)) continue;
    EnvVar variable{std::move(setting.name), std::move(setting.value), Origin::user};
    variable.where = std::move(setting.where);
    variables.push_back(std::move(variable));
  }
  return variables;
}

}  // namespace

void check_variables(const option::VariablePolicy& policy, const Environment& environment,
                     const fs::path& directory, const fs::path& root) {
  if (policy == option::VariablePolicy{}) return;
  request::check_variables(
      policy,
      request::set_by_user(policy, environment, of_users_files(environment, directory, root)));
}

}  // namespace muster::node
