// `muster check`: is this value of --distributed valid here? The shim runs it in sbatch and salloc, with
// their own arguments, so that a mistake fails at submission rather than hours later in the queue.
#include "core/error.hpp"
#include "core/profile/profile.hpp"
#include "core/remark/idle_spares.hpp"
#include "core/remark/misspelled_variable.hpp"
#include "core/request/precedence.hpp"
#include "core/request/request.hpp"
#include "core/site/config.hpp"
#include "core/text/quote.hpp"
#include "launcher/agent/node/variable_policy.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/help.hpp"
#include "launcher/command/site_options.hpp"
#include "launcher/command/usage_error.hpp"
#include "launcher/site/job_facts.hpp"
#include "launcher/site/site.hpp"
#include "launcher/supervisor/supervision/launcher_check.hpp"
#include "launcher/supervisor/supervision/remarks.hpp"
#include "wire/variables.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace muster::command {
namespace {

struct CheckOptions {
  site::SiteOptions site;
  std::optional<std::string> option;
  std::size_t program_index = 0;
  std::vector<std::string> command;
};

// Checks what sbatch or salloc is about to start. If the option comes from the environment, it may have been
// set in a shell's start-up file without any particular script in mind, so there is no remark.
void check_submission(const CheckOptions& options, const site::Site& site,
                      const request::Request& request) {
  const srun::Command command{options.command, options.program_index};
  if (!options.command.empty() && !supervision::is_submission(command)) {
    throw UsageError(fmt::format(
        "muster check takes only options, not {}; did you mean --distributed={}?",
        text::in_quotes(options.command.front()), text::printable(options.command.front())));
  }
  const auto fault = supervision::command_fault(command, site.environment(),
                                                profile::profile_names(site.profile_directories()));
  if (!fault.empty()) throw Error(fault);
  if (site.environment().contains(wire::option_variable)) return;
  supervision::remark(command, remark::idle_spares(request));
  supervision::remark(command,
                      supervision::submission_remark(command, site.profile(request.profile)));
  supervision::remark(command, remark::misspelled_variable(site.environment()));
}

int check(const CheckOptions& options) {
  const site::Site site(options.site, site::current_environment(), true);
  // Outside a job, the partition and account may be in the script, which is not read here.
  site.settle(site::facts_of_job(site.environment()));
  const auto merged = site.merged_settings(options.option);
  if (merged.action == option::Action::help) {
    show_option_help(site);
    return wire::check_help_shown;
  }
  if (merged.action == option::Action::launch) {
    check_submission(options, site, site.request(merged));
    // The environment of sbatch and salloc need not be that of the ranks.
    if (options.command.empty())
      node::check_variables(site.config().policy.variables, site.environment(), {});
  }
  return wire::check_good;
}

}  // namespace

Command check_command() {
  auto options = std::make_shared<CheckOptions>();
  Command command("check", "check whether a value of --distributed is valid on this site");
  add_typed_site_options(command, options->site);
  command.value_or_nothing("--distributed", options->option,
                           "the value (default: MUSTER_DISTRIBUTED)");
  // Passed by muster.so in sbatch and salloc, not by people, so the help leaves them out.
  command.number("--program-index", options->program_index, "");
  command.hands_on("command", options->command, "");
  return command.action([options] { return check(*options); });
}

}  // namespace muster::command
