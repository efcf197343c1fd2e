#include "launcher/agent/slurm_owners.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

namespace muster::agent {

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
  auto owners = owners_by(slurmstepd.is_absolute() ? parts_of(slurmstepd) : std::vector<PathPart>());
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

}  // namespace muster::agent
