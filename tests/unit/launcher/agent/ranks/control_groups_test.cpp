#include "launcher/agent/ranks/control_groups.hpp"

#include <gtest/gtest.h>

namespace muster::ranks {
namespace {

// memory_groups_test.cpp has more of them.
TEST(ControlGroups, AreThoseOfOneController) {
  const auto mounts = group_mounts(
      "32 30 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
      "33 30 0:29 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n",
      "freezer");
  EXPECT_EQ(mounts.v1, (GroupMounts::Mount{"/sys/fs/cgroup/freezer", "/"}));
  EXPECT_FALSE(mounts.v2);
  EXPECT_EQ(group_files("4:cpu,cpuacct:/x\n3:freezer:/slurm/job_1/step_0\n", mounts,
                        {"freezer", "one", "two"}),
            (std::vector<GroupFile>{{"/sys/fs/cgroup/freezer/slurm/job_1/step_0/one", false},
                                    {"/sys/fs/cgroup/freezer/slurm/job_1/one", false}}));
}

}  // namespace
}  // namespace muster::ranks
