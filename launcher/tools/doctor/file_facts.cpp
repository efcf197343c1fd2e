// File systems, each probed in its own child, because a server that is gone hangs the process that accesses
// it.
#include "core/text/list.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/os/small_file.hpp"
#include "launcher/tools/doctor/gather.hpp"

#include <array>

#include <fmt/format.h>
#include <sodium.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace muster::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_mounts = std::size_t{1} << 20;
constexpr std::size_t max_hashed = std::size_t{64} << 20;

// One probe of a directory.
std::string space_in(const std::string& name, const fs::path& path) {
  struct statvfs space {};
  if (statvfs(path.c_str(), &space) != 0)
    return fmt::format("{}.writable=no\n{}.free=0\n", name, name);
  return fmt::format("{}.free={}\n{}.writable={}\n", name,
                     static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize, name,
                     access(path.c_str(), W_OK) == 0 ? "yes" : "no");
}

void add_space(const Surroundings& surroundings, const std::string& name, const fs::path& path,
               Facts& facts) {
  const auto lines =
      os::answer_of_child([&] { return space_in(name, path); }, time_for_child(surroundings));
  if (lines) add_lines(*lines, facts);
}

// The mount that a path is on, by its longest prefix. That needs no call to a server that may be gone.
void add_mount(const Surroundings& surroundings, const std::string& path, Facts& facts) {
  const auto mounts = os::small_file(surroundings.root / "proc/self/mounts", max_mounts);
  std::size_t longest = 0;
  for (const auto line : text::split(mounts, '\n')) {
    const auto words = text::split(line, ' ');
    if (words.size() < 4 || words[1].size() < longest) continue;
    const auto folder = words[1];
    const bool above =
        folder == "/" || path == folder || path.starts_with(std::string(folder) + '/');
    if (!above) continue;
    longest = folder.size();
    facts.set("cache.type", words[2]);
    facts.set("cache.options", words[3]);
  }
  facts.set("cache.path", path);
}

}  // namespace

fs::path below(const Surroundings& surroundings, const fs::path& path) {
  return surroundings.root / path.relative_path();
}

std::optional<std::string> hash_of(const fs::path& file) {
  const auto text = os::small_file(file, max_hashed);
  if (text.empty()) return std::nullopt;
  std::array<unsigned char, 16> digest{};
  crypto_generichash(digest.data(), digest.size(),
                     reinterpret_cast<const unsigned char*>(text.data()), text.size(), nullptr, 0);
  std::string hex;
  for (const auto byte : digest) hex += fmt::format("{:02x}", byte);
  return hex.substr(0, 12);
}

void add_file_facts(const Surroundings& surroundings, Facts& facts) {
  add_space(surroundings, "shm", surroundings.root / "dev/shm", facts);
  const auto& own = surroundings.environment.get("TMPDIR");
  const auto tmp = own.empty() ? std::string("/tmp") : own;
  facts.set("tmp.path", tmp);
  add_space(surroundings, "tmp", below(surroundings, tmp), facts);
  const auto& home = surroundings.environment.get("HOME");
  if (!home.empty()) {
    facts.set("home.path", home);
    add_space(surroundings, "home", below(surroundings, home), facts);
    const auto& cache = surroundings.environment.get("HF_HOME");
    add_mount(surroundings, cache.empty() ? home : cache, facts);
    const auto& file = surroundings.environment.get("NCCL_CONF_FILE");
    const auto usual = home + "/.nccl.conf";
    const bool has =
        os::answer_of_child(
            [&] {
              return std::string(access(below(surroundings, usual).c_str(), R_OK) == 0 ? "y" : "n");
            },
            time_for_child(surroundings)) == "y";
    facts.set("nccl.own_file", !file.empty() ? file : (has ? usual : ""));
  }
}

}  // namespace muster::doctor
