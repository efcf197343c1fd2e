// This host's name, as gethostname() has it.
#pragma once

#include <string>

namespace muster::os {

// "the submit host" where the kernel does not say.
std::string host_name();

}  // namespace muster::os
