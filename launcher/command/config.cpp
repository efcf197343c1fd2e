// `muster config check` and `muster config show`: tools for administrators, about the site's file.
#include "core/site/config.hpp"

#include "core/error.hpp"
#include "core/profile/profile.hpp"
#include "core/site/check.hpp"
#include "core/site/show.hpp"
#include "core/text/amounts.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "launcher/command/command_line.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/site_options.hpp"
#include "launcher/command/usage_error.hpp"
#include "launcher/os/groups.hpp"
#include "launcher/os/output.hpp"
#include "launcher/site/installed.hpp"
#include "launcher/site/job_facts.hpp"
#include "launcher/site/site.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace muster::command {
namespace {

struct ConfigOptions {
  site::SiteOptions site;
  std::vector<std::string> words;
  std::optional<std::string> as;  // USER[,PARTITION[,ACCOUNT]]
  bool origin = false;
  bool json = false;
};

void take_file(ConfigOptions& options, const char* command) {
  if (options.words.size() > 1) {
    throw UsageError(fmt::format("muster config {} takes only one file; leave out {}", command,
                                 text::in_quotes(options.words[1])));
  }
  if (!options.words.empty()) options.site.config = options.words.front();
}

// Checks the profiles in the site's directories as well.
void check_profiles(site::Findings& findings, const std::string& path, const file::Trust& trust) {
  const auto config = site::load_config(path, site::ConfigKind::site, trust);
  for (const auto& name : profile::profile_names(config.profile_dirs)) {
    try {
      static_cast<void>(profile::load_profile(name, config.profile_dirs, trust));
    } catch (const Error& error) {
      findings.errors.emplace_back(error.what());
    }
  }
}

bool is_refused_for_its_owner(const site::Findings& findings, const std::string& path,
                              file::Trust trust) {
  if (findings.errors.empty() || trust.any_owner) return false;
  trust.any_owner = true;
  return site::check_config(path, trust).errors != findings.errors;
}

int check(ConfigOptions& options) {
  take_file(options, "check");
  const auto& path = options.site.config;
  std::error_code unknown;
  if (path == site::installed_config() && !std::filesystem::exists(path, unknown) && !unknown) {
    fmt::print("{}: there is no such file; the built-in values apply\n",
               text::printable_path(path));
    return EXIT_SUCCESS;
  }
  const auto trust = site::trust_of_site(options.site);
  auto findings = site::check_config(path, trust);
  if (findings.errors.empty()) check_profiles(findings, path, trust);
  for (const auto& warning : findings.warnings)
    fmt::print("warning: {}\n", text::printable_path(warning));
  for (const auto& error : findings.errors) fmt::print("error: {}\n", text::printable_path(error));
  if (is_refused_for_its_owner(findings, path, trust)) {
    std::fflush(stdout);
    os::say(os::Severity::hint,
            "use --trust-any-owner to check the contents of a file that root does not own yet");
  }
  if (!findings.errors.empty()) return EXIT_FAILURE;
  const auto count = findings.files.size() - 1;
  fmt::print("{}{}: no errors\n", text::printable_path(path),
             count == 0 ? "" : " and " + text::count(count, "included file"));
  return EXIT_SUCCESS;
}

site::RuleFacts facts_as(const std::string& as) {
  const auto parts = text::split(as, ',');
  if (parts.size() > 3 || parts.front().empty()) {
    throw UsageError(
        fmt::format("--as {}: expected a user, optionally with a partition and an account; use "
                    "--as=USER[,PARTITION[,ACCOUNT]]",
                    text::in_quotes(as)));
  }
  site::RuleFacts facts;
  if (parts.size() > 1) facts.partition = parts[1];
  if (parts.size() > 2) facts.account = parts[2];
  facts.is_in_group = [groups = os::groups_of(std::string(parts.front()))](
                          const std::string& group) { return os::has_group(groups, group); };
  return facts;
}

int show(ConfigOptions& options) {
  take_file(options, "show");
  const site::Site site(options.site, site::current_environment(), false);
  site.settle(options.as ? facts_as(*options.as) : site::facts_of_job(site.environment()));
  const auto text = options.json ? to_json(site.config()) : to_yaml(site.config(), options.origin);
  std::fputs(text.c_str(), stdout);
  return EXIT_SUCCESS;
}

Command check_file() {
  auto options = std::make_shared<ConfigOptions>();
  Command command("check", "report every error in the site's file and the files that it includes");
  add_typed_site_options(command, options->site);
  command.takes("FILE", options->words, "the site's file (default: the installed one)");
  return command.action([options] { return check(*options); });
}

Command show_values() {
  auto options = std::make_shared<ConfigOptions>();
  Command command("show", "show the settings that a job would get");
  add_typed_site_options(command, options->site);
  command.value("--as", options->as,
                "USER[,PARTITION[,ACCOUNT]]: for a job of that user (default: for you, in the "
                "current job if there is one)");
  command.flag("--origin", options->origin, "show the file and line that each value comes from");
  command.flag("--json", options->json, "print JSON");
  command.takes("FILE", options->words, "the site's file (default: the installed one)");
  return command.action([options] { return show(*options); });
}

int run(const std::vector<std::string>& words) {
  CommandLine line("Check and show the site's configuration", "muster " + site::installed_version(),
                   "muster config");
  line.add(check_file());
  line.add(show_values());
  std::vector<std::string> all{"muster config"};
  all.insert(all.end(), words.begin(), words.end());
  if (words.empty()) all.emplace_back("--help");
  return line.run(all);
}

}  // namespace

Command config_command() {
  auto words = std::make_shared<std::vector<std::string>>();
  Command command("config", "check the site's configuration, or show what a job would get");
  command.hands_on("check|show", *words, "check or show, followed by its options");
  return command.action([words] { return run(*words); });
}

}  // namespace muster::command
