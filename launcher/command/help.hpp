// What `--distributed=help` prints.
#pragma once

#include "launcher/site/site.hpp"

#include <string>

namespace muster::command {

// Usage, every key with its form, default and meaning, and every profile with its summary.
std::string option_help(const site::Site& site);

}  // namespace muster::command
