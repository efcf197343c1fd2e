#include "launcher/os/user_secret.hpp"

namespace muster::os {
namespace {

secret::Variable variable_in(const Environment& environment) {
  return [&environment](const char* name) { return environment.get(name); };
}

}  // namespace

std::string state_directory(const Environment& environment) {
  return secret::state_directory(variable_in(environment));
}

secret::Key user_secret(const Environment& environment) {
  return secret::user_secret(secret::user_secret_path(variable_in(environment)));
}

}  // namespace muster::os
