// The options that every command shares: which installation it works with.
#pragma once

#include "launcher/site/site.hpp"

namespace muster::command {

class Command;

void add_site_options(Command& command, site::SiteOptions& site);

// The same for a command that people type: a missing --config file is then a usage error.
void add_typed_site_options(Command& command, site::SiteOptions& site);

}  // namespace muster::command
