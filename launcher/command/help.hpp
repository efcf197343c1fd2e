// The help of --distributed: the keys, the site's profiles, and examples.
#pragma once

#include <cstddef>
#include <string>

namespace muster::site {
class Site;
}

namespace muster::command {

// In lines of at most `width` columns, unless a single word is longer.
std::string option_help(const site::Site& site, std::size_t width);

// Prints it to standard output.
void show_option_help(const site::Site& site);

}  // namespace muster::command
