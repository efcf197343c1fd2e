// Where the installed files are. An installation may be moved as a whole (a container, a test
// cluster): files next to the running program come first, the configured prefix second.
#pragma once

#include <string>

namespace muster::site {

std::string installed_version();

// The path of the running program.
std::string installed_program();

// The path of the site's file.
std::string installed_config();

// The directory of the profiles that muster ships.
std::string installed_profiles();

// The directory of Python's start hook; empty if it is not installed.
std::string installed_start_hook();

}  // namespace muster::site
