#include "launcher/command/site_options.hpp"

#include "launcher/command/command.hpp"
#include "launcher/site/site.hpp"

namespace muster::command {

void add_site_options(Command& command, site::SiteOptions& site) {
  command.value("--config", site.config, "path of the site's file");
  command.flag("--config-required", site.config_required, "fail if the site's file does not exist");
  command.flag("--trust-any-owner", site.trust_any_owner,
               "accept files regardless of their owner (for tests and checkouts)");
}

void add_typed_site_options(Command& command, site::SiteOptions& site) {
  site.must_exist = true;
  add_site_options(command, site);
}

}  // namespace muster::command
