// A process environment as a value, so that tests need not change their own environment.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace muster {

using Environment = std::map<std::string, std::string, std::less<>>;

}  // namespace muster
