// The options that all commands share: which installation they use.
#pragma once

#include "launcher/site/site.hpp"

namespace muster::command {

class Command;

void add_site_options(Command& command, site::SiteOptions& site);

// Likewise for a command that people type: a missing --config file is a usage error.
void add_typed_site_options(Command& command, site::SiteOptions& site);

}  // namespace muster::command
