// Finds and reads profile files.
#include "core/contains.hpp"
#include "core/error.hpp"
#include "core/file/trusted_file.hpp"
#include "core/option/key_table.hpp"
#include "core/option/keys.hpp"
#include "core/option/profile_name.hpp"
#include "core/option/synonyms.hpp"
#include "core/profile/profile.hpp"
#include "core/text/quote.hpp"
#include "core/text/suggestion.hpp"

#include <filesystem>
#include <set>
#include <system_error>

#include <fmt/format.h>

namespace muster::profile {
namespace {

constexpr std::string_view suffix = ".yaml";

// The option's first word may be meant as a switch, or as a flag of another launcher.
std::string remedy(const std::string& name, const std::vector<std::string>& profiles) {
  auto known_elsewhere = option::key_synonym(name);
  if (!known_elsewhere.empty()) return known_elsewhere;
  const std::vector<std::string_view> known(profiles.begin(), profiles.end());
  const auto same = option::profile_synonym(name);
  if (contains(known, same))
    return fmt::format("use {}, which is the profile for {}", same, text::printable(name));
  auto words = known;
  for (const auto& key : option::keys()) {
    if (key.is_switch && key.since != option::not_yet) words.push_back(key.name);
  }
  words.insert(words.end(), {"help", "off"});
  const auto meant = text::suggested_word(name, words);
  return meant ? fmt::format("did you mean '{}'?", *meant) : text::suggestion(name, known);
}

Error no_such_profile(const std::string& name, const std::vector<std::string>& directories) {
  const std::vector<std::string> names = profile_names(directories);
  if (names.empty()) {
    const std::string last = directories.empty() ? "" : directories.back();
    return Error{fmt::format("profile {}: there are no profiles in {}; check muster's installation",
                             text::in_quotes(name), text::printable_path(last))};
  }
  return Error{fmt::format("unknown profile {}: no profile directory contains {}.yaml; {}",
                           text::in_quotes(name), text::printable(name), remedy(name, names))};
}

ProfileFile read_profile(const std::string& name, const std::vector<std::string>& directories,
                         const file::Trust& trust) {
  // The name becomes part of a path, so it must be a valid profile name.
  if (!option::is_profile_name(name)) throw no_such_profile(name, directories);
  for (const std::string& directory : directories) {
    const std::string path = fmt::format("{}/{}{}", directory, name, suffix);
    if (const auto text = read_trusted_file(path, trust)) return parse_profile(*text, path);
  }
  throw no_such_profile(name, directories);
}

}  // namespace

Profile load_profile(const std::string& name, const std::vector<std::string>& directories,
                     const file::Trust& trust) {
  return resolve_profile(
      name, [&](const std::string& wanted) { return read_profile(wanted, directories, trust); });
}

std::vector<std::string> profile_names(const std::vector<std::string>& directories) {
  std::set<std::string> names;
  for (const std::string& directory : directories) {
    std::error_code fault;  // a missing directory contains no profiles
    auto entry = std::filesystem::directory_iterator(directory, fault);
    for (; !fault && entry != std::filesystem::directory_iterator(); entry.increment(fault)) {
      const std::filesystem::path& path = entry->path();
      if (path.extension() == suffix && option::is_profile_name(path.stem().string())) {
        names.insert(path.stem().string());
      }
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace muster::profile
