#include "launcher/agent/slurm_command.hpp"

#include "core/text/list.hpp"

#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view usual_path = "/usr/local/bin:/usr/bin:/bin";

bool is_roots(const fs::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && status.st_uid == 0 &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Requires that only root can replace the file, or any directory on the path to it.
bool is_trusted(const fs::path& file, const file::Trust& trust) {
  if (trust.any_owner) return true;
  for (auto part = file; part != part.parent_path(); part = part.parent_path()) {
    if (!is_roots(part)) return false;
  }
  return is_roots("/");
}

// Requires the file itself, not a link: a user's link could have this name and lead to another of root's
// programs.
std::optional<fs::path> trusted(const fs::path& path, const file::Trust& trust) {
  std::error_code missing;
  auto file = fs::canonical(path, missing);
  if (missing || file.filename() != path.filename() || !is_trusted(file, trust))
    return std::nullopt;
  return file;
}

}  // namespace

std::optional<fs::path> find_slurm_command(const std::string& name, const Environment& environment,
                                           const file::Trust& trust) {
  const auto path = fmt::format("{}:{}", environment.get("PATH"), usual_path);
  for (const auto directory : text::split(path, ':')) {
    if (!directory.starts_with('/')) continue;
    if (auto found = trusted(fs::path(directory) / name, trust)) return found;
  }
  return std::nullopt;
}

std::vector<std::string> slurm_environment(const Environment& environment,
                                           const file::Trust& trust) {
  std::vector<std::string> small{fmt::format("PATH={}", usual_path), "LC_ALL=C.UTF-8"};
  const auto& configuration = environment.get("SLURM_CONF");
  if (!configuration.empty() && trusted(configuration, trust)) {
    small.push_back("SLURM_CONF=" + configuration);
  }
  return small;
}

}  // namespace muster::agent
