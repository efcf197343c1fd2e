#include "core/doctor/slurm_modes.hpp"

#include "unit/core/doctor/healthy_host.hpp"

#include <gtest/gtest.h>

namespace muster::doctor {
namespace {

using Names = std::vector<std::string>;

TEST(SlurmModes, AreNamedInSlurmsOwnWords) {
  const auto facts = facts_of({
      {"release", "26.05.5"},
      {"slurm.SlurmctldParameters", "enable_configless,enable_stepmgr,enable_expedited_requeue"},
      {"slurm.AuthType", "auth/slurm"},
      {"slurm.TLSType", "tls/s2n"},
      {"slurm.NamespaceType", "namespace/linux"},
      {"slurm.TopologyPlugin", "topology/block"},
      {"slurm.SelectTypeParameters", "CR_CORE,CR_NO_DIST_TOPO_BLOCK"},
      {"slurm.CgroupPlugin", "cgroup/v2"},
  });
  EXPECT_EQ(slurm_modes(facts), (Names{"enable_stepmgr", "enable_expedited_requeue", "auth/slurm",
                                       "tls/s2n", "namespace/linux", "topology/block",
                                       "CR_NO_DIST_TOPO_BLOCK", "control groups by SLUID"}));
}

TEST(SlurmModes, AreNoneOfAnOrdinarySite) {
  EXPECT_EQ(slurm_modes(healthy_host()), Names{});
  EXPECT_EQ(slurm_modes(facts_of({})), Names{});
  EXPECT_EQ(slurm_modes(facts_of({
                {"release", "26.05.5"},
                {"slurm.SlurmctldParameters", "enable_stepmgr_of_another_kind"},
                {"slurm.AuthType", "auth/munge"},
                {"slurm.TLSType", "tls/none"},
                {"slurm.NamespaceType", "(null)"},
                {"slurm.JobContainerType", "(null)"},
                {"slurm.TopologyPlugin", "topology/flat"},
                {"slurm.SelectTypeParameters", "CR_CORE"},
                {"slurm.CgroupPlugin", "cgroup/v2"},
                {"slurm.CgroupJobIdPaths", "yes"},
            })),
            Names{});
}

TEST(SlurmModes, NameGroupsByJobBeforeSlurm2605) {
  EXPECT_EQ(slurm_modes(facts_of({{"release", "25.11.2"}, {"slurm.CgroupPlugin", "cgroup/v2"}})),
            Names{});
  EXPECT_EQ(slurm_modes(facts_of({{"slurm.JobContainerType", "job_container/tmpfs"}})),
            Names{"job_container/tmpfs"});
}

}  // namespace
}  // namespace muster::doctor
