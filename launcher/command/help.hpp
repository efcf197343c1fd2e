// What `--distributed=help` prints.
#pragma once

#include <string>

namespace muster {

class Site;

// Usage, every key with its form, default and meaning, and every profile with its summary.
std::string option_help(const Site& site);

}  // namespace muster
