#include "launcher/node/variable_policy.hpp"

#include "core/option/variable_policy.hpp"
#include "core/request/variable_check.hpp"
#include "launcher/node/library_settings.hpp"

#include <utility>
#include <vector>

namespace muster::node {
namespace {

std::vector<EnvVar> of_users_files(const Environment& environment,
                                   const std::filesystem::path& root) {
  const auto sites = (root / "etc").string() + '/';
  std::vector<EnvVar> variables;
  for (auto& setting : placed_settings(root, environment)) {
    if (setting.where.starts_with(sites)) continue;
    EnvVar variable{std::move(setting.name), std::move(setting.value), Origin::user};
    variable.where = std::move(setting.where);
    variables.push_back(std::move(variable));
  }
  return variables;
}

}  // namespace

void check_variables(const option::VariablePolicy& policy, const Environment& environment,
                     const std::filesystem::path& root) {
  if (policy == option::VariablePolicy{}) return;
  request::check_variables(
      policy, request::set_by_user(policy, environment, of_users_files(environment, root)));
}

}  // namespace muster::node
