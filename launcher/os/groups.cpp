#include "launcher/os/groups.hpp"

#include "core/error.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/bounded_child.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

namespace muster::os {
namespace {

constexpr std::chrono::seconds lookup_timeout{3};

std::optional<gid_t> number(const std::string& text) {
  gid_t group = 0;
  const auto* const last = text.data() + text.size();
  const auto [end, fault] = std::from_chars(text.data(), last, group);
  if (text.empty() || fault != std::errc{} || end != last) return std::nullopt;
  return group;
}

std::string number_in_text(const std::string& name) {
  constexpr std::size_t max_entry = 1 << 20;  // a group of many members is one long line
  std::vector<char> buffer(max_entry);
  ::group entry{};
  ::group* found = nullptr;
  if (getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0) return {};
  return found == nullptr ? std::string{} : std::to_string(found->gr_gid);
}

std::optional<gid_t> gid_of(const std::string& group) {
  if (const auto given = number(group)) return given;
  const auto found = answer_of_child([&] { return number_in_text(group); }, lookup_timeout);
  if (!found) {
    throw Error(
        fmt::format("group {}: could not be looked up; try again, or tell your administrator",
                    text::in_quotes(group)));
  }
  return number(*found);
}

// The group IDs, separated by spaces; empty if there is no such user.
std::string groups_in_text(const std::string& user) {
  constexpr std::size_t max_entry = 1 << 16;
  constexpr int max_groups = 4096;
  std::vector<char> buffer(max_entry);
  passwd entry{};
  passwd* found = nullptr;
  if (getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0) return {};
  if (found == nullptr) return {};
  int count = max_groups;
  std::vector<gid_t> groups(max_groups);
  if (getgrouplist(user.c_str(), found->pw_gid, groups.data(), &count) < 0) count = max_groups;
  groups.resize(static_cast<std::size_t>(count));
  return text::join(groups, " ");
}

}  // namespace

bool has_group(const std::vector<gid_t>& groups, const std::string& group) {
  const auto wanted = gid_of(group);
  return wanted && std::ranges::count(groups, *wanted) > 0;
}

std::vector<gid_t> own_groups() {
  const int count = getgroups(0, nullptr);
  std::vector<gid_t> groups(count > 0 ? static_cast<std::size_t>(count) : 0);
  const int read = groups.empty() ? 0 : getgroups(count, groups.data());
  groups.resize(read > 0 ? static_cast<std::size_t>(read) : 0);
  groups.push_back(getegid());
  return groups;
}

bool is_in_group(const std::string& group) {
  return has_group(own_groups(), group);
}

std::vector<gid_t> groups_of(const std::string& user) {
  const auto text = answer_of_child([&] { return groups_in_text(user); }, lookup_timeout);
  if (!text || text->empty()) {
    throw Error(fmt::format("this host knows no user {}; check the name", text::in_quotes(user)));
  }
  std::vector<gid_t> groups;
  for (const auto word : text::split(*text, ' ')) {
    if (const auto group = number(std::string(word))) groups.push_back(*group);
  }
  return groups;
}

}  // namespace muster::os
