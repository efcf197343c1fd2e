#include "launcher/agent/slurm_command.hpp"

#include "core/file/trusted_file.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view usual_path = "/usr/local/bin:/usr/bin:/bin";

// Requires the file itself, not a link: a user's link could have this name and lead to another of Slurm's
// programs. Without a file of that name, both members are empty.
FoundCommand examined(const fs::path& path, const SlurmOwners& owners) {
  std::error_code missing;
  auto file = fs::canonical(path, missing);
  if (missing || file.filename() != path.filename()) return {};
  const auto why = objection_to(parts_of(file), owners);
  if (why.empty()) return {std::move(file), {}};
  return {{}, fmt::format("{} is not used, because {}", text::printable(file.string()), why)};
}

}  // namespace

std::vector<PathPart> parts_of(const std::filesystem::path& file) {
  std::vector<PathPart> parts;
  for (auto part = file; !part.empty(); part = part.parent_path()) {
    struct stat status {};
    if (stat(part.c_str(), &status) != 0) return {};
    parts.push_back({part, status.st_uid, status.st_gid, status.st_mode});
    if (part == part.parent_path()) break;
  }
  return parts;
}

SlurmOwners owners_by(std::span<const PathPart> slurmstepd) {
  SlurmOwners owners;
  for (const auto& part : slurmstepd) {
    owners.users.insert(part.owner);
    if ((part.mode & S_IWGRP) != 0) owners.groups.insert(part.group);
  }
  return owners;
}

SlurmOwners slurm_owners(const file::Trust& trust, const std::filesystem::path& slurmstepd) {
  auto owners =
      owners_by(slurmstepd.is_absolute() ? parts_of(slurmstepd) : std::vector<PathPart>());
  owners.anybody = trust.any_owner;
  return owners;
}

std::string objection_to(std::span<const PathPart> parts, const SlurmOwners& owners) {
  if (owners.anybody) return {};
  if (parts.empty()) return "its path cannot be examined";
  for (const auto& part : parts) {
    const auto path = part.path.string();
    if (!owners.users.contains(part.owner)) {
      return fmt::format("{} belongs to user {}, neither to root nor to slurmstepd's owner", path,
                         part.owner);
    }
    if ((part.mode & S_IWOTH) != 0) return fmt::format("anybody can write to {}", path);
    if ((part.mode & S_IWGRP) != 0 && !owners.groups.contains(part.group)) {
      return fmt::format("group {} can write to {}, but not to slurmstepd", part.group, path);
    }
  }
  return {};
}

FoundCommand find_slurm_command(const std::string& name, const Environment& environment,
                                const SlurmOwners& owners) {
  const auto path = fmt::format("{}:{}", environment.get("PATH"), usual_path);
  FoundCommand refused;
  for (const auto directory : text::split(path, ':')) {
    if (!directory.starts_with('/')) continue;
    auto found = examined(fs::path(directory) / name, owners);
    if (!found.path.empty()) return found;
    if (refused.why.empty()) refused = std::move(found);
  }
  if (refused.why.empty()) refused.why = fmt::format("there is no {} on the job's PATH", name);
  return refused;
}

std::vector<std::string> slurm_environment(const Environment& environment,
                                           const SlurmOwners& owners) {
  std::vector<std::string> small{fmt::format("PATH={}", usual_path), "LC_ALL=C.UTF-8"};
  const auto& configuration = environment.get("SLURM_CONF");
  if (!configuration.empty() && !examined(configuration, owners).path.empty()) {
    small.push_back("SLURM_CONF=" + configuration);
  }
  return small;
}

}  // namespace muster::agent
