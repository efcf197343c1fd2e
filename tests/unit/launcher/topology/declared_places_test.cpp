// Files that say where devices are: the site's always count, others fill gaps.
#include "launcher/topology/declared_places.hpp"

#include "fixtures/made_up_node.hpp"
#include "fixtures/scratch_directory.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace muster::topology {
namespace {

class Described : public testing::Test {
 protected:
  static Topology blind_node() {
    auto node = fixtures::made_up_node(
        {.packages = 2, .numa_per_package = 1, .l3_per_numa = 1, .cores_per_l3 = 2, .smt = 1});
    fixtures::add_gpu(node, {}, 1);
    return node;
  }

  // A file in NCCL's schema, with its one GPU near this memory node.
  std::string nccl_file(const std::string& name, int numa) const {
    return files_.write(name, "<system version=\"1\"><cpu numaid=\"" + std::to_string(numa) +
                                  "\" affinity=\"0000000f\"><pci busid=\"0001:02:00.0\" "
                                  "class=\"0x030200\"/></cpu></system>");
  }

  DescribedTopology describe(const Topology& node) const {
    return with_descriptions(node, {.rule = rule_,
                                    .trust = file::trust_any_owner(),
                                    .job_file = job_file_,
                                    .provider_file = provider_file_});
  }

  fixtures::ScratchDirectory files_;
  site::TopologyRule rule_;
  std::string job_file_;
  std::string provider_file_ = "/nonexistent/virtualTopology.xml";
};

TEST_F(Described, ByNobodyStaysAsFound) {
  const auto result = describe(blind_node());
  EXPECT_EQ(result.topology, blind_node());
  EXPECT_TRUE(result.warnings.empty());
}

TEST_F(Described, ByTheProviderWhereTheScanKnowsNothing) {
  provider_file_ = nccl_file("p.xml", 1);
  const auto result = describe(blind_node());
  EXPECT_EQ(result.topology.gpus[0].at.cpus, CpuSet::range(2, 3));
  EXPECT_EQ(result.sources, std::vector<std::string>{provider_file_});
}

TEST_F(Described, ByTheJobsOwnFileInsteadOfTheProviders) {
  provider_file_ = nccl_file("p.xml", 1);
  job_file_ = nccl_file("j.xml", 0);
  EXPECT_EQ(describe(blind_node()).topology.gpus[0].at.cpus, CpuSet::range(0, 1));
}

TEST_F(Described, ByAJobDoesNotOverruleTheHardware) {
  job_file_ = nccl_file("j.xml", 0);
  auto node = blind_node();
  node.gpus[0].at.cpus = {3};
  EXPECT_EQ(describe(node).topology, node);
}

TEST_F(Described, ByTheSiteOverrulesAll) {
  job_file_ = nccl_file("j.xml", 0);
  rule_.nccl = nccl_file("s.xml", 1);
  auto node = blind_node();
  node.gpus[0].at.cpus = {0};
  EXPECT_EQ(describe(node).topology.gpus[0].at.cpus, CpuSet::range(2, 3));
  rule_.map = {{.is_nic = false, .name = "0", .cpus = {1}, .nics = {}, .where = "m:1:1"}};
  EXPECT_EQ(describe(node).topology.gpus[0].at.cpus, CpuSet{1});
}

TEST_F(Described, ByAFileThatIsNotThereSaysSoOnlyOfTheSites) {
  job_file_ = "/nonexistent/job.xml";
  EXPECT_TRUE(describe(blind_node()).warnings.empty());
  rule_.nccl = "/nonexistent/site.xml";
  const auto result = describe(blind_node());
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_NE(result.warnings[0].find("/nonexistent/site.xml"), std::string::npos);
}

TEST_F(Described, ByBadFilesIsOneLineAndAPlanWithoutThem) {
  const auto one_line = [&](const std::string& why) {
    const auto result = describe(blind_node());
    EXPECT_EQ(result.topology, blind_node());
    ASSERT_EQ(result.warnings.size(), 1U) << why;
    EXPECT_NE(result.warnings[0].find(why), std::string::npos) << result.warnings[0];
  };
  rule_.nccl = files_.write("damaged.xml", "<system><cpu>");
  one_line("damaged");
  rule_.nccl = files_.path();
  one_line("not a regular file");
  rule_.nccl = files_.path("fifo");
  ASSERT_EQ(mkfifo(rule_.nccl.c_str(), 0644), 0);
  one_line("not a regular file");
  rule_.nccl = files_.write("huge.xml", std::string(2U << 20, ' '));
  one_line("larger than");
}

}  // namespace
}  // namespace muster::topology
