// The help of --distributed: the keys, the profiles of the site, and examples.
#pragma once

#include <cstddef>
#include <string>

namespace muster::site {
class Site;
}

namespace muster::command {

// In lines of at most `width`, except for a longer word.
std::string option_help(const site::Site& site, std::size_t width);

// For standard output.
void show_option_help(const site::Site& site);

}  // namespace muster::command
