// Where the installed files are. An installation may be moved as a whole (a container, a test
// cluster): what lies beside the running program comes first, the configured prefix second.
#pragma once

#include <string>

namespace muster::installed {

std::string version();

// The program that runs.
std::string program();

// The site's file.
std::string config();

// The directory of the profiles that muster ships.
std::string profiles();

}  // namespace muster::installed
