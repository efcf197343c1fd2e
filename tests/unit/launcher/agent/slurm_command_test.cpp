#include "launcher/agent/slurm_command.hpp"

#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::agent {
namespace {

using Parts = std::vector<PathPart>;

constexpr uid_t slurm_user = 450;
constexpr uid_t bob = 1005;
constexpr gid_t slurms = 451;
constexpr gid_t everyones = 100;

// `opt`: /opt/slurm and all that is in it.
Parts path(const std::string& directory, const std::string& name, PathPart opt) {
  Parts parts;
  for (const auto* const part : {"/opt/slurm/DIR/NAME", "/opt/slurm/DIR", "/opt/slurm"}) {
    auto text = std::string(part);
    if (const auto at = text.find("DIR"); at != text.npos) text.replace(at, 3, directory);
    if (const auto at = text.find("NAME"); at != text.npos) text.replace(at, 4, name);
    opt.path = text;
    parts.push_back(opt);
  }
  parts.push_back({"/opt", 0, 0, 0755});
  parts.push_back({"/", 0, 0, 0755});
  return parts;
}

Parts squeue(PathPart opt) {
  return path("bin", "squeue", std::move(opt));
}

Parts slurmstepd(PathPart opt) {
  return path("sbin", "slurmstepd", std::move(opt));
}

TEST(SlurmOwners, AreRootWhereRootOwnsSlurm) {
  const auto owners = owners_by(slurmstepd({"", 0, 0, 0755}));
  EXPECT_EQ(objection_to(squeue({"", 0, 0, 0755}), owners), "");
  EXPECT_EQ(
      objection_to(squeue({"", bob, bob, 0755}), owners),
      "/opt/slurm/bin/squeue belongs to user 1005, neither to root nor to slurmstepd's owner");
}

// As after `chown -R slurm:slurm /opt/slurm`. Root runs slurmstepd from there.
TEST(SlurmOwners, AreThoseWhoMayReplaceSlurmstepd) {
  const auto owners = owners_by(slurmstepd({"", slurm_user, slurms, 0775}));
  EXPECT_EQ(objection_to(squeue({"", slurm_user, slurms, 0775}), owners), "");
  EXPECT_EQ(objection_to(squeue({"", 0, 0, 0755}), owners), "");
  EXPECT_NE(objection_to(squeue({"", bob, slurms, 0755}), owners), "");
}

TEST(SlurmOwners, AreNotThoseWhoMayWriteToTheCommandsOnly) {
  const auto owners = owners_by(slurmstepd({"", slurm_user, slurms, 0755}));
  EXPECT_EQ(objection_to(squeue({"", slurm_user, everyones, 0775}), owners),
            "group 100 can write to /opt/slurm/bin/squeue, but not to slurmstepd");
  EXPECT_EQ(objection_to(squeue({"", slurm_user, slurms, 0757}), owners),
            "anybody can write to /opt/slurm/bin/squeue");
}

TEST(SlurmOwners, NeedOneOffenceAnywhereOnThePath) {
  const auto owners = owners_by({});
  auto parts = squeue({"", 0, 0, 0755});
  parts[2].owner = bob;
  EXPECT_EQ(objection_to(parts, owners),
            "/opt/slurm belongs to user 1005, neither to root nor to slurmstepd's owner");
  EXPECT_EQ(objection_to({}, owners), "its path cannot be examined");
}

TEST(PartsOf, AFileGoUpToTheRootDirectory) {
  const auto parts = parts_of("/usr/bin/env");
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[1].path, "/usr/bin");
  EXPECT_EQ(parts[3].path, "/");
  EXPECT_EQ(parts[0].owner, 0U);
  EXPECT_TRUE(parts_of("/no/such/file").empty());
}

TEST(SlurmCommand, ThatIsNotUsedIsNamedWithTheReason) {
  const fixtures::ScratchDirectory scratch;
  const auto file = scratch.write("muster-squeue", "#!/bin/sh\n");
  std::filesystem::permissions(file, std::filesystem::perms::all);
  const Environment environment{{"PATH", scratch.path()}};
  const auto found = find_slurm_command("muster-squeue", environment, {});
  EXPECT_TRUE(found.path.empty());
  EXPECT_EQ(found.why.find(file + " is not used, because "), 0U) << found.why;
  EXPECT_EQ(find_slurm_command("muster-squeue", environment, {.anybody = true}).path, file);
  EXPECT_EQ(find_slurm_command("no-such-command", environment, {}).why,
            "there is no no-such-command on the job's PATH");
}

}  // namespace
}  // namespace muster::agent
