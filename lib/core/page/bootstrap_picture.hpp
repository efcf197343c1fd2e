// The phases of libmuster's bootstrap as pictures and figures.
#pragma once

#include "core/page/bootstrap.hpp"

#include <string>

namespace muster::page {

// Empty if no rank recorded anything.
std::string picture_of(const Bootstraps& bootstraps);

}  // namespace muster::page
