// Follows a profile's includes.
#include "core/contains.hpp"
#include "core/error.hpp"
#include "core/option/keys.hpp"
#include "core/profile/profile.hpp"
#include "core/request/request.hpp"
#include "core/text/list.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace muster::profile {
namespace {

constexpr std::size_t max_includes = 16;

// A profile's own variables follow the included ones. Each name occurs once: the later definition, in the
// earlier position.
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

void add_requirements(std::vector<Requirement>& all, const std::vector<Requirement>& more) {
  for (const auto requirement : more) {
    if (!contains(all, requirement)) all.push_back(requirement);
  }
}

// A name that no included profile sets is a typing error, or the profile is older than this muster.
void leave_out(std::vector<ProfileVariable>& below, const std::vector<std::string>& without,
               const std::string& profile) {
  for (const auto& name : without) {
    if (std::erase_if(below, [&](const auto& variable) { return variable.name == name; }) > 0) {
      continue;
    }
    throw Error(fmt::format(
        "profile {}: 'without' lists {}, which no included profile sets; remove it from the list",
        profile, name));
  }
}

void check_chain(const std::vector<std::string>& chain, const std::string& next) {
  const std::string shown = fmt::format("{} -> {}", text::join(chain, " -> "), next);
  if (std::ranges::count(chain, next) > 0) {
    throw Error(fmt::format("profile {}: its includes form a cycle ({}); remove one include",
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
  std::vector<ProfileFile> files{read(name)};  // the profile itself, then those that it includes
  while (files.back().include) {
    check_chain(chain, *files.back().include);
    chain.push_back(*files.back().include);
    files.push_back(read(chain.back()));
  }
  Profile profile{.name = name, .summary = files.front().summary};
  for (std::size_t i = files.size(); i-- > 0;) {
    ProfileFile& file = files[i];
    leave_out(profile.environment, file.without, chain[i]);
    profile.environment = overlay(std::move(profile.environment), std::move(file.environment));
    add_requirements(profile.requirements, file.requirements);
    if (file.mode) profile.mode = *file.mode;
    if (file.gpus) profile.gpus = file.gpus;
    if (file.store) profile.store = file.store;
    if (!file.lighthouse.empty()) profile.lighthouse = file.lighthouse;
  }
  if (profile.mode == Mode::agent) {
    add_requirements(profile.requirements, {Requirement::one_task_per_node});
  }
  return profile;
}

bool uses(const Profile& profile, Placeholder placeholder) {
  return std::ranges::any_of(profile.environment, [placeholder](const ProfileVariable& each) {
    return each.value.uses(placeholder);
  });
}

bool gives_meeting_place(const Profile& profile) {
  return uses(profile, Placeholder::master_addr) || uses(profile, Placeholder::rendezvous) ||
         uses(profile, Placeholder::endpoints);
}

option::Gpus gpus_of(const request::Request& request, const Profile& profile) {
  const bool asked = source(request, option::Key("gpus")).origin != Origin::default_;
  return asked ? request.gpus : profile.gpus.value_or(request.gpus);
}

}  // namespace muster::profile
