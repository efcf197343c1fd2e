#include "launcher/site/site.hpp"

#include "core/error.hpp"
#include "core/file/refusal.hpp"
#include "core/file/trusted_file.hpp"
#include "core/profile/profile.hpp"
#include "core/request/needs.hpp"
#include "core/request/precedence.hpp"
#include "core/request/request.hpp"
#include "core/site/config.hpp"
#include "core/site/job_config.hpp"
#include "core/text/quote.hpp"
#include "launcher/site/installed.hpp"

#include <cerrno>
#include <filesystem>
#include <map>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::site {

namespace {

bool is_missing(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::status(path, unknown).type() == std::filesystem::file_type::not_found;
}

Config load_site_config(const SiteOptions& options) {
  const bool named =
      options.must_exist && !options.config.empty() && options.config != installed_config();
  if (options.config_required && is_missing(options.config))
    throw Error(
        fmt::format("{}: there is no such file on this host, and plugstack.conf says "
                    "config_required; ask your administrator to install it",
                    text::printable_path(options.config)));
  if (named && is_missing(options.config))
    throw Error(fmt::format("--config {}: there is no such file; check its path",
                            text::printable_path(options.config)));
  return load_config(options.config, ConfigKind::site, trust_of_site(options));
}

}  // namespace

file::Trust trust_of_site(const SiteOptions& options) {
  if (options.trust_any_owner) return file::trust_any_owner();
  return options.trust_user ? file::trust_root_and(getuid()) : file::trust_root();
}

namespace {

// Why the file system refuses access to the user's own directory: a home that this host may not read (root
// squash, no Kerberos ticket), or a stale mount. Empty if it does not, or if there is no such directory.
std::string fault_of(const std::string& directory) {
  if (directory.empty() || access((directory + "/.").c_str(), F_OK) == 0 || errno == ENOENT ||
      errno == ENOTDIR) {
    return {};
  }
  return file::unreadable(directory, errno).what();
}

}  // namespace

struct Site::Files {
  file::Trust trust;
  Config site;
  Config user;
  std::map<std::string, profile::Profile> profiles;  // those that have been requested
  std::string fault;                                 // why the user's own directory cannot be read
};

Site::Site(const SiteOptions& options, Environment environment, bool with_user_file)
    : trust_any_owner_(options.trust_any_owner),
      environment_(std::move(environment)),
      files_(std::make_shared<Files>(Files{.trust = trust_of_site(options),
                                           .site = load_site_config(options),
                                           .user = {},
                                           .profiles = {},
                                           .fault = {}})) {
  const auto path = user_config_path(environment_);
  files_->fault = fault_of(std::filesystem::path(path).parent_path());
  if (!with_user_file || path.empty() || !files_->fault.empty()) return;
  try {
    files_->user = load_config(path, ConfigKind::user, trust());
  } catch (const file::Unreadable& fault) {
    files_->fault = fault.what();
  }
}

std::string Site::warning() const {
  return files_->fault.empty() ? ""
                               : files_->fault + "; continuing without your settings and profiles";
}

const file::Trust& Site::trust_of_files() const {
  return files_->trust;
}

const Config& Site::config() const {
  return files_->site;
}

void Site::settle(const RuleFacts& facts) const {
  if (!files_->site.rules.empty()) files_->site = for_job(std::move(files_->site), facts);
}

request::MergedSettings Site::merged_settings(const std::optional<std::string>& option) const {
  return request::merge_sources(option ? std::optional<std::string_view>(*option) : std::nullopt,
                                environment_, files_->user, files_->site);
}

request::Request Site::request(const request::MergedSettings& merged) const {
  auto request = request::make_request(merged.settings);
  check_supervision(request);
  check_view(request);
  check_patterns(request);
  static_cast<void>(profile(request.profile));
  return request;
}

std::vector<std::string> Site::profile_directories() const {
  // The environment determines the user's own directory.
  return site::profile_directories(files_->user, files_->site,
                                   files_->fault.empty() ? environment_ : Environment(),
                                   installed_profiles());
}

const profile::Profile& Site::profile(const std::string& name) const {
  auto& profiles = files_->profiles;
  const auto known = profiles.find(name);
  if (known != profiles.end()) return known->second;
  try {
    return profiles.emplace(name, profile::load_profile(name, profile_directories(), trust()))
        .first->second;
  } catch (const Error& error) {
    if (files_->fault.empty()) throw;
    throw Error(fmt::format("{}; {}", error.what(), files_->fault));
  }
}

// The process has the user's IDs, so a file of the user's cannot do more than the user could.
file::Trust Site::trust() const {
  return trust_any_owner_ ? file::trust_any_owner() : file::trust_root_and(getuid());
}

Environment current_environment() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    environment.add_entry(*entry);
  }
  return environment;
}

}  // namespace muster::site
