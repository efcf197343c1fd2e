#include "launcher/command/help.hpp"

#include "core/error.hpp"
#include "core/option/key_table.hpp"
#include "core/profile/profile.hpp"
#include "launcher/site/site.hpp"

#include <fmt/format.h>

namespace muster::command {
namespace {

constexpr int first_column = 28;

std::string key_line(const option::KeyInfo& key) {
  const auto left =
      key.form.empty() ? std::string(key.name) : fmt::format("{}={}", key.name, key.form);
  const auto since = key.since == option::not_yet ? "; not in this release" : "";
  return fmt::format("  {:<{}} {} (default {}{})\n", left, first_column, key.meaning,
                     key.default_text, since);
}

// A broken profile must not break the help; the help says what is wrong with it.
std::string profile_line(const site::Site& site, const std::string& name) {
  std::string summary;
  try {
    summary = site.profile(name).summary;
  } catch (const Error& error) {
    summary = fmt::format("unusable: {}", error.what());
  }
  return fmt::format("  {:<{}} {}\n", name, first_column, summary);
}

}  // namespace

std::string option_help(const site::Site& site) {
  std::string text =
      "usage: srun|sbatch|salloc --distributed[=PROFILE[,KEY[=VALUE]]...] ...\n"
      "  A bare --distributed is torch. Lists inside a value use '+'. --distributed=off cancels "
      "an\n"
      "  inherited one. MUSTER_DISTRIBUTED in the environment says the same.\n\nkeys:\n";
  for (const auto& key : option::keys()) text += key_line(key);
  text += "\nprofiles:\n";
  for (const auto& name : profile::profile_names(site.profile_directories())) {
    text += profile_line(site, name);
  }
  return text;
}

}  // namespace muster::command
