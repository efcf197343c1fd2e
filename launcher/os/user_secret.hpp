// Where this user's muster files are, according to an environment.
#pragma once

#include "core/environment.hpp"
#include "secret/user_secret.hpp"

#include <string>

namespace muster::os {

// As in secret::state_directory().
std::string state_directory(const Environment& environment);

// The user's secret, in the file that the environment names. Throws secret::Error.
secret::Key user_secret(const Environment& environment);

}  // namespace muster::os
