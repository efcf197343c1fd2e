// This host's name, as gethostname() returns it.
#pragma once

#include <string>

namespace muster::os {

// "the submit host" if the kernel does not report it.
std::string host_name();

}  // namespace muster::os
