#include "launcher/agent/node/slurm_binding.hpp"

#include "core/option/keys.hpp"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace muster::node {
namespace {

TEST(UserBoundCpus, OnlyWhereTheUserChoseABinding) {
  EXPECT_FALSE(user_bound_cpus({}));
  EXPECT_FALSE(user_bound_cpus({{"SLURM_CPU_BIND_TYPE", ""}}));
  for (const auto* const type : {"cores", "threads", "map_cpu:", "mask_cpu:"}) {
    EXPECT_TRUE(user_bound_cpus({{"SLURM_CPU_BIND_TYPE", type}})) << type;
  }
}

TEST(UserBoundCpus, IsNotTheWishToHaveNone) {
  EXPECT_FALSE(user_bound_cpus({{"SLURM_CPU_BIND_TYPE", "none"}}));
}

TEST(UserBoundCpus, IsNotWhatSrunMakesOfAHint) {
  const auto bound = [](const char* hint, const char* type) {
    return user_bound_cpus({{"SLURM_HINT", hint}, {"SLURM_CPU_BIND_TYPE", type}});
  };
  EXPECT_FALSE(bound("nomultithread", "threads"));
  EXPECT_FALSE(bound("multithread", "threads"));
  EXPECT_FALSE(bound("compute_bound", "cores"));
  EXPECT_TRUE(bound("nomultithread", "map_cpu:"));
  EXPECT_TRUE(bound("compute_bound", "threads"));
}

TEST(BindOf, IsNoneWhereTheUserToldSlurmSo) {
  EXPECT_EQ(bind_of({{"SLURM_CPU_BIND_TYPE", "none"}}, option::Bind::auto_), option::Bind::none);
  EXPECT_EQ(bind_of({{"SLURM_CPU_BIND_TYPE", "cores"}}, option::Bind::auto_), option::Bind::auto_);
  EXPECT_EQ(bind_of({}, option::Bind::auto_), option::Bind::auto_);
}

TEST(MostThreads, AreWhatTheUsersCpuBindHasRoomFor) {
  const auto under = [](const std::string& type, const std::string& cpus) {
    return max_threads({{"SLURM_CPU_BIND_TYPE", type}, {"SLURM_CPUS_PER_TASK", cpus}});
  };
  EXPECT_EQ(under("threads", "2"), 2U);
  EXPECT_EQ(under("cores", ""), 1U);
  EXPECT_EQ(under("map_cpu:", "2"), 0U);
  EXPECT_EQ(under("mask_cpu:", "2"), 0U);
  EXPECT_GT(under("", "2"), 1000U);
  EXPECT_GT(under("none", "2"), 1000U);
  EXPECT_GT(under("sockets", "2"), 1000U);
  EXPECT_GT(max_threads({{"SLURM_CPU_BIND_TYPE", "threads"}, {"SLURM_HINT", "nomultithread"}}),
            1000U);
}

TEST(UserBoundMemory, OnlyWhereTheUserChoseABinding) {
  EXPECT_FALSE(user_bound_memory({{"SLURM_CPU_BIND_TYPE", "cores"}}));
  EXPECT_FALSE(user_bound_memory({{"SLURM_MEM_BIND_TYPE", ""}}));
  EXPECT_TRUE(user_bound_memory({{"SLURM_MEM_BIND_TYPE", "none"}}));
  EXPECT_TRUE(user_bound_memory({{"SLURM_MEM_BIND_TYPE", "local"}}));
}

TEST(SrunsLine, SaysThatNobodyAskedForTheBindingThatSrunDerivedFromOtherOptions) {
  for (const std::string type : {"threads", "cores", "sockets", "mask_cpu:"}) {
    const Environment seen{{"SLURM_CPU_BIND_TYPE", type}, {"SLURM_CPUS_PER_TASK", "2"}};
    const auto implied = with_sruns_line(seen, "", false);
    EXPECT_FALSE(user_bound_cpus(implied)) << type;
    EXPECT_GT(max_threads(implied), 1000U) << type;
    EXPECT_TRUE(user_bound_cpus(with_sruns_line(seen, "", true))) << type;
    EXPECT_TRUE(user_bound_cpus(with_sruns_line(seen, "", std::nullopt))) << type;
  }
}

TEST(SrunsLine, HasACpuBindThatComesBeforeTheHintOfTheJob) {
  const Environment seen{{"SLURM_CPU_BIND_TYPE", "threads"}, {"SLURM_HINT", "nomultithread"}};
  EXPECT_TRUE(user_bound_cpus(with_sruns_line(seen, "", true)));
  EXPECT_FALSE(user_bound_cpus(with_sruns_line(seen, "", std::nullopt)));
}

bool smt_under(const Environment& environment, const std::string& hint = {}) {
  return with_slurms_threads({}, {}, with_sruns_line(environment, hint, std::nullopt)).smt;
}

TEST(SlurmsThreads, AreOneOfEachCoreUnderAHintOrThreadsPerCore) {
  EXPECT_TRUE(smt_under({}));
  EXPECT_FALSE(smt_under({{"SLURM_HINT", "nomultithread"}}));
  EXPECT_FALSE(smt_under({}, "nomultithread"));
  EXPECT_FALSE(smt_under({{"SLURM_THREADS_PER_CORE", "1"}}));
  EXPECT_TRUE(smt_under({{"SLURM_THREADS_PER_CORE", "2"}}));
}

TEST(SlurmsThreads, AreThoseOfTheOptionThatSrunPrefers) {
  // srun ignores the hint of the job, but not one on its own line.
  EXPECT_FALSE(smt_under({{"SLURM_THREADS_PER_CORE", "1"}, {"SLURM_HINT", "multithread"}}));
  EXPECT_TRUE(smt_under({{"SLURM_THREADS_PER_CORE", "1"}}, "multithread"));
  // srun itself sets --threads-per-core=1 for these two.
  EXPECT_TRUE(smt_under({{"SLURM_THREADS_PER_CORE", "1"}, {"SLURM_HINT", "compute_bound"}}));
  const auto request = with_slurms_threads(
      {}, {}, {{"SLURM_THREADS_PER_CORE", "1"}, {"SLURM_HINT", "nomultithread"}});
  EXPECT_EQ(source(request, option::Key("smt")).where, "--hint=nomultithread");
}

}  // namespace
}  // namespace muster::node
