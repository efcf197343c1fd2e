#include "launcher/slurm/slurm_mpi.hpp"

#include "fixtures/scratch_directory.hpp"

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

TEST(SlurmMpi, IsSeenInThePluginDirectory) {
  const fixtures::ScratchDirectory plugins;
  plugins.write("mpi_pmi2.so", "");
  plugins.write("select_linear.so", "");
  EXPECT_EQ(has_pmix_in(plugins.path()), false);
  plugins.write("mpi_pmix_v5.so", "");
  EXPECT_EQ(has_pmix_in(plugins.path()), true);
}

TEST(SlurmMpi, IsUnknownWhereThereIsNoPluginOfItsKind) {
  const fixtures::ScratchDirectory elsewhere;
  elsewhere.write("muster.so", "");
  elsewhere.write("mpi_pmix.txt", "");
  EXPECT_EQ(has_pmix_in(elsewhere.path()), std::nullopt);
  EXPECT_EQ(has_pmix_in("/nonexistent"), std::nullopt);
  EXPECT_EQ(has_pmix_in(""), std::nullopt);
}

TEST(SlurmMpi, OnlyADefaultThatNamesNoneLeavesMpiOpen) {
  for (const auto* const open : {"", "none", "openmpi"}) EXPECT_TRUE(leaves_mpi_open(open)) << open;
  for (const auto* const chosen : {"pmi2", "cray_shasta", "pmix", "pmix_v4"}) {
    EXPECT_FALSE(leaves_mpi_open(chosen)) << chosen;
  }
}

}  // namespace
}  // namespace muster::slurm
