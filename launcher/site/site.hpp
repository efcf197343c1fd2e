// The installation that a command uses: its files, and which owners are trusted.
#pragma once

#include "core/environment.hpp"
#include "launcher/site/installed.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::file {
struct Trust;
}

namespace muster::profile {
struct Profile;
}

namespace muster::request {
struct MergedSettings;
struct Request;
}  // namespace muster::request

namespace muster::site {

struct Config;
struct RuleFacts;

struct SiteOptions {
  std::string config = installed_config();  // the site's file
  // True for a path that the user typed: a missing file is an error. The installed file may be
  // missing.
  bool must_exist = false;
  bool config_required = false;  // the same for the installed file
  bool trust_any_owner = false;
  bool trust_user = false;  // the user's own installation: it may belong to the user
};

// Which owners' files count as the site's.
file::Trust trust_of_site(const SiteOptions& options);

class Site {
 public:
  // Reads the site's file and, if requested, the user's.
  Site(const SiteOptions& options, Environment environment, bool with_user_file);

  [[nodiscard]] const Config& config() const;
  // Makes the site's rules that match such a job part of config(), in all copies. Call it once.
  void settle(const RuleFacts& facts) const;
  [[nodiscard]] const Environment& environment() const { return environment_; }

  // All settings, merged; `option` is the value of --distributed, if given.
  [[nodiscard]] request::MergedSettings merged_settings(
      const std::optional<std::string>& option) const;

  // The request, valid and with a profile that loads.
  [[nodiscard]] request::Request request(const request::MergedSettings& merged) const;

  [[nodiscard]] std::vector<std::string> profile_directories() const;
  // Why the user's own settings and profiles are left out, if the file system refuses access to them;
  // otherwise empty.
  [[nodiscard]] std::string warning() const;
  // Each profile is read once. Not thread-safe.
  [[nodiscard]] const profile::Profile& profile(const std::string& name) const;

  // Which owners' files and programs count as the site's.
  [[nodiscard]] const file::Trust& trust_of_files() const;
  // Which owners' profiles count: the user's own as well.
  [[nodiscard]] file::Trust trust() const;

 private:
  struct Files;

  bool trust_any_owner_;
  Environment environment_;
  std::shared_ptr<Files> files_;  // what has been read so far, shared by copies
};

// The variables of this process.
Environment current_environment();

}  // namespace muster::site
