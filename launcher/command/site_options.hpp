// The options that every command shares: which installation it works with.
#pragma once

namespace muster {

class Command;
struct SiteOptions;

void add_site_options(Command& command, SiteOptions& site);

// The same for a command that people type: a --config that is not there is their mistake.
void add_typed_site_options(Command& command, SiteOptions& site);

}  // namespace muster
