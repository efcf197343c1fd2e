// `muster check`: is this value of --distributed good here? Run by the shim in sbatch and salloc,
// so that a mistake fails at submission and not hours later in the queue.
#include "launcher/command/commands.hpp"
#include "launcher/command/help.hpp"
#include "launcher/site/site.hpp"
#include "wire/variables.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace muster {
namespace {

struct CheckOptions {
  SiteOptions site;
  std::optional<std::string> option;
};

int check(const CheckOptions& options) {
  const Site site(options.site, current_environment(), true);
  const auto asked = site.asked(options.option);
  if (asked.action == Action::help) {
    std::fputs(option_help(site).c_str(), stdout);
    return wire::check_help_shown;
  }
  if (asked.action == Action::launch) static_cast<void>(site.request(asked));
  return wire::check_good;
}

}  // namespace

void add_check_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  auto* command = app.add_subcommand("check", "say whether a value of --distributed is good here");
  options->site.add_to(*command);
  command->add_option("--distributed", options->option, "the value; default MUSTER_DISTRIBUTED")
      ->expected(0, 1);
  command->callback([options, &exit_code] { exit_code = check(*options); });
}

}  // namespace muster
