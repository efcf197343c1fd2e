// `muster check`: is this value of --distributed valid here? The shim runs it in sbatch and salloc,
// so that a mistake fails at submission and not hours later in the queue.
#include "core/request/precedence.hpp"
#include "core/request/request.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/help.hpp"
#include "launcher/command/site_options.hpp"
#include "launcher/site/site.hpp"
#include "wire/variables.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace muster::command {
namespace {

struct CheckOptions {
  site::SiteOptions site;
  std::optional<std::string> option;
};

int check(const CheckOptions& options) {
  const site::Site site(options.site, site::current_environment(), true);
  const auto merged = site.merged_settings(options.option);
  if (merged.action == option::Action::help) {
    std::fputs(option_help(site).c_str(), stdout);
    return wire::check_help_shown;
  }
  if (merged.action == option::Action::launch) static_cast<void>(site.request(merged));
  return wire::check_good;
}

}  // namespace

Command check_command() {
  auto options = std::make_shared<CheckOptions>();
  Command command("check", "say whether a value of --distributed is good here");
  add_typed_site_options(command, options->site);
  command.value_or_nothing("--distributed", options->option,
                           "the value; default MUSTER_DISTRIBUTED");
  return command.action([options] { return check(*options); });
}

}  // namespace muster::command
