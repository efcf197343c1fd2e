// The options that every command shares: which installation it works with.
#pragma once

namespace muster {

class Command;
struct SiteOptions;

void add_site_options(Command& command, SiteOptions& site);

}  // namespace muster
