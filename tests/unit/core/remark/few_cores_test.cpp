#include "core/remark/few_cores.hpp"

#include "unit/core/remark/made_up_profile.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::remark {
namespace {

const auto python = made_up_profile("PYTHONUNBUFFERED", "1");

// Tasks with one core each.
std::vector<resources::TaskResources> tasks(unsigned count) {
  std::vector<resources::TaskResources> made(count);
  for (unsigned i = 0; i < count; ++i) made[i] = {.cpus = CpuSet{i}, .threads = 1};
  return made;
}

std::string remark_on_cores(const std::vector<resources::TaskResources>& of_node,
                            const NodeCores& cores) {
  return few_cores(python, option::Bind::auto_, of_node, cores);
}

TEST(FewCores, AreOneForATaskOfANodeWithMany) {
  EXPECT_EQ(remark_on_cores(tasks(8), {.node = 96, .step = 8, .job_cpus = 8}),
            "1 of 96 cores per task: DataLoader workers share that core; submit the job with "
            "--cpus-per-task=12, or "
            "with --exclusive for all cores");
  EXPECT_NE(remark_on_cores(tasks(1), {.node = 4}), "");
}

TEST(FewCores, AreOneForATaskOfAJobWithMore) {
  EXPECT_EQ(
      remark_on_cores(tasks(2), {.node = 2, .step = 2, .job_cpus = 8}),
      "1 core per task, and the job has 8 CPUs on this node: DataLoader workers share that core; "
      "srun "
      "--cpus-per-task=4 gives them more");
  EXPECT_EQ(remark_on_cores(tasks(2), {.node = 2, .step = 0, .job_cpus = 8}), "");
  EXPECT_EQ(remark_on_cores(tasks(2), {.node = 2, .step = 2, .job_cpus = 3}), "");
}

TEST(FewCores, AreNotThoseWhoseThreadsSlurmCounts) {
  EXPECT_EQ(remark_on_cores(tasks(2), {.node = 2, .threads_per_core = 4, .step = 2, .job_cpus = 8}),
            "");
}

TEST(FewCores, AreNotWhatIsLeftOnASmallNode) {
  EXPECT_EQ(remark_on_cores(tasks(8), {.node = 31}), "");
  EXPECT_EQ(remark_on_cores(tasks(1), {.node = 2}), "");
}

TEST(FewCores, AreTheUsersChoice) {
  EXPECT_EQ(remark_on_cores(tasks(8), {.node = 96, .chosen = true}), "");
  EXPECT_EQ(few_cores(python, option::Bind::core, tasks(8), {.node = 96}), "");
  EXPECT_EQ(few_cores(made_up_profile("UCX_NET_DEVICES", "1"), option::Bind::auto_, tasks(8),
                      {.node = 96}),
            "");
}

TEST(FewCores, AreNotThoseOfTasksWithMoreOrWithSharedCores) {
  auto two = tasks(2);
  two[1].threads = 2;
  EXPECT_EQ(remark_on_cores(two, {.node = 96}), "");
  auto sharing = tasks(2);
  sharing[1].cpus = sharing[0].cpus;
  EXPECT_EQ(remark_on_cores(sharing, {.node = 96}), "");
  auto slurms = tasks(2);
  slurms[1].cpus = {};
  EXPECT_EQ(remark_on_cores(slurms, {.node = 96}), "");
  EXPECT_EQ(remark_on_cores({}, {.node = 96}), "");
}

TEST(FewCores, AreCountedWhereSlurmBindsTheTasks) {
  std::vector<resources::TaskResources> bound_by_slurm(2);
  for (auto& task : bound_by_slurm) task.threads = 1;
  EXPECT_NE(remark_on_cores(bound_by_slurm, {.node = 96, .step = 2}), "");
  EXPECT_EQ(remark_on_cores(bound_by_slurm, {.node = 96, .step = 3}), "");
  EXPECT_EQ(remark_on_cores(bound_by_slurm, {.node = 96, .step = 2, .chosen = true}), "");
}

TEST(JobCpus, AreThoseOfTheNode) {
  const Environment job{{"SLURM_JOB_NODELIST", "n[1-4]"}, {"SLURM_JOB_CPUS_PER_NODE", "8(x3),2"}};
  EXPECT_EQ(job_cpus(job, "n3"), 8U);
  EXPECT_EQ(job_cpus(job, "n4"), 2U);
  EXPECT_EQ(job_cpus(job, "n5"), 0U);
  EXPECT_EQ(job_cpus({}, "n1"), 0U);
  for (const auto* const wrong : {"8(x", "", "8", "8(x9)"}) {
    EXPECT_EQ(
        job_cpus({{"SLURM_JOB_NODELIST", "n[1-4]"}, {"SLURM_JOB_CPUS_PER_NODE", wrong}}, "n1"), 0U)
        << wrong;
  }
}

}  // namespace
}  // namespace muster::remark
