#include "launcher/command/help.hpp"

#include "core/error.hpp"
#include "core/option/key_table.hpp"
#include "core/option/keys.hpp"
#include "core/profile/profile.hpp"
#include "core/text/duration.hpp"
#include "core/text/list.hpp"
#include "core/text/wrap.hpp"
#include "launcher/os/output.hpp"
#include "launcher/site/site.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

namespace muster::command {
namespace {

constexpr std::size_t column = 25;

constexpr std::string_view usage =
    "usage: srun|sbatch|salloc --distributed[=PROFILE[,KEY[=VALUE]]...] ...";
constexpr std::string_view rules =
    "--distributed alone means profile torch. Put '+' between the items of a list. "
    "--distributed=off cancels an inherited option. The variable MUSTER_DISTRIBUTED takes the "
    "same values.";
constexpr std::array<std::string_view, 3> examples{
    "srun -N4 --ntasks-per-node=8 --distributed=torch ./train.py",
    "srun -N4 --ntasks-per-node=8 --distributed=torch,dry-run ./train.py",
    "sbatch --distributed=torch,restarts=3,hang=30m,logs=logs train.sh"};

std::string lines_of(std::string_view text, std::size_t width) {
  return text::join(text::wrapped(text, width), "\n") + "\n";
}

std::string about_times() {
  std::vector<std::string> minutes;
  for (const auto& key : option::keys()) {
    if (key.unit == std::chrono::minutes(1)) minutes.push_back(fmt::format("{}=", key.name));
  }
  return fmt::format(
      "TIME takes a unit, {}; a number without a unit means seconds, or minutes for {}.",
      text::duration_forms, text::join(minutes, " and "));
}

std::string default_of(const option::KeyInfo& key) {
  if (key.unit.count() == 0) return key.default_text;
  const auto time = text::duration(key.default_text, key.unit);
  return time ? text::to_text(*time) : key.default_text;
}

std::string key_text(const option::KeyInfo& key, std::size_t width) {
  const auto term =
      key.form.empty() ? std::string(key.name) : fmt::format("{}={}", key.name, key.form);
  const auto since = key.since == option::not_yet ? "; not in this release" : "";
  const auto range = key.range.empty() ? std::string() : fmt::format("; {}", key.range);
  return text::definition(
      term, fmt::format("{} (default {}{}{})", key.meaning, default_of(key), range, since), column,
      width);
}

std::string keys_text(std::size_t width) {
  std::string text;
  for (const auto& key : option::keys()) {
    const auto group = std::ranges::find(option::key_groups, key.key, &option::KeyGroup::first);
    if (group != option::key_groups.end()) text += fmt::format("\n{}:\n", group->heading);
    text += key_text(key, width);
  }
  return text;
}

// A broken profile must not break the help: the help says what is wrong with the profile.
std::string profile_text(const site::Site& site, const std::string& name, std::size_t width) {
  std::string summary;
  try {
    summary = site.profile(name).summary;
  } catch (const Error& error) {
    summary = fmt::format("unusable: {}", error.what());
  }
  return text::definition(name, summary, column, width);
}

// A line that is too long continues after a backslash, as in a shell.
std::string example_text(std::string_view example, std::size_t width) {
  constexpr std::size_t marks = 4;  // "  " before and " \" after
  const auto lines = text::wrapped(example, example.size() + 2 <= width ? width : width - marks);
  return "  " + text::join(lines, " \\\n    ") + "\n";
}

}  // namespace

std::string option_help(const site::Site& site, std::size_t width) {
  auto text =
      lines_of(usage, width) + "\n" + lines_of(rules, width) + lines_of(about_times(), width);
  text += keys_text(width);
  text += "\nprofiles:\n";
  for (const auto& name : profile::profile_names(site.profile_directories())) {
    text += profile_text(site, name, width);
  }
  text += "\nexamples:\n";
  for (const auto& example : examples) text += example_text(example, width);
  return text;
}

void show_option_help(const site::Site& site) {
  os::print(option_help(site, os::width_of(stdout)), "help");
}

}  // namespace muster::command
