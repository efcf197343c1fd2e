#include "launcher/agent/port/lent_ids.hpp"

#include "core/text/number.hpp"
#include "core/text/take.hpp"
#include "launcher/agent/port/owner.hpp"
#include "launcher/agent/ranks/process_table.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/small_file.hpp"

#include <algorithm>
#include <cstdint>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/nsfs.h>
#include <sys/ioctl.h>

namespace muster::port {
namespace {

constexpr std::size_t max_subuid = std::size_t{4} << 20;
constexpr std::size_t max_uid_map = std::size_t{64} << 10;  // the kernel allows 340 lines

struct Ids {
  std::uint64_t first = 0;
  std::uint64_t count = 0;

  [[nodiscard]] bool contain(uid_t id) const { return id >= first && id - first < count; }
};

std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return text::take(line);
}

bool user_owns(const std::filesystem::path& name_space, uid_t user) {
  const os::Descriptor file(open(name_space.c_str(), O_RDONLY | O_CLOEXEC));
  uid_t owner = 0;
  return file && ioctl(file.get(), NS_GET_OWNER_UID, &owner) == 0 && owner == user;
}

}  // namespace

// "alice:100000:65536" or "1000:100000:65536".
bool subuid_lends(std::string_view subuid, std::string_view name, uid_t user, uid_t id) {
  const auto number = fmt::to_string(user);
  while (!subuid.empty()) {
    auto line = text::take(subuid, '\n');
    const auto owner = text::take(line, ':');
    if (owner != name && owner != number) continue;
    const auto first = text::number<std::uint64_t>(text::take(line, ':'));
    const auto count = text::number<std::uint64_t>(line);
    if (first && count && Ids{*first, *count}.contain(id)) return true;
  }
  return false;
}

// "         1     100000      65536": the first id inside, the first id outside, and how many there are.
bool map_contains(std::string_view uid_map, uid_t id) {
  while (!uid_map.empty()) {
    auto line = text::take(uid_map, '\n');
    take_word(line);
    const auto first = text::number<std::uint64_t>(take_word(line));
    const auto count = text::number<std::uint64_t>(take_word(line));
    if (first && count && Ids{*first, *count}.contain(id)) return true;
  }
  return false;
}

bool namespaces_lend(uid_t user, uid_t id, const std::filesystem::path& proc) {
  bool found = false;
  for (const auto each : {id, user}) {
    ranks::ProcessTable(proc).each_of(each, [&](const ranks::SeenProcess& process) {
      found = found || (map_contains(process.file("uid_map", max_uid_map), id) &&
                        user_owns(proc / fmt::to_string(process.pid()) / "ns" / "user", user));
    });
  }
  return found;
}

bool is_lent(uid_t user, uid_t id) {
  return subuid_lends(os::small_file("/etc/subuid", max_subuid), user_name(user), user, id) ||
         namespaces_lend(user, id);
}

}  // namespace muster::port
