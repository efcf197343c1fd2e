// Follows a profile's includes.
#include "core/error.hpp"
#include "core/profile.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace muster {
namespace {

constexpr std::size_t max_includes = 16;

// Own variables after included ones, each name once: the later definition, in the earlier place.
std::vector<ProfileVariable> overlay(std::vector<ProfileVariable> below,
                                     std::vector<ProfileVariable> above) {
  for (ProfileVariable& variable : above) {
    const auto same = std::ranges::find(below, variable.name, &ProfileVariable::name);
    if (same == below.end()) {
      below.push_back(std::move(variable));
    } else {
      *same = std::move(variable);
    }
  }
  return below;
}

void check_chain(const std::vector<std::string>& chain, const std::string& next) {
  const std::string shown = fmt::format("{} -> {}", fmt::join(chain, " -> "), next);
  if (std::ranges::count(chain, next) > 0) {
    throw Error(fmt::format("profile {}: it includes itself ({}); remove one include",
                            chain.front(), shown));
  }
  if (chain.size() >= max_includes) {
    throw Error(fmt::format("profile {}: more than {} includes ({}); flatten them", chain.front(),
                            max_includes, shown));
  }
}

}  // namespace

Profile resolve_profile(const std::string& name,
                        const std::function<ProfileFile(const std::string&)>& read) {
  std::vector<std::string> chain{name};
  ProfileFile file = read(name);
  Profile profile{name, file.summary, Mode::rank, std::move(file.environment)};
  std::optional<Mode> mode = file.mode;
  while (file.include) {
    check_chain(chain, *file.include);
    chain.push_back(*file.include);
    file = read(chain.back());
    if (!mode) mode = file.mode;
    profile.environment = overlay(std::move(file.environment), std::move(profile.environment));
  }
  profile.mode = mode.value_or(Mode::rank);
  return profile;
}

}  // namespace muster
