#include "core/srun/het_step.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace muster::srun {
namespace {

using Words = std::vector<std::string>;
using Variable = std::pair<std::string, std::string>;

TEST(Heterogeneous, IsAStepOfSeveralComponentsOrGroups) {
  EXPECT_TRUE(heterogeneous({{"srun", "./a", ":", "./b"}, 1}));
  EXPECT_TRUE(heterogeneous({{"srun", "--het-group=0,1", "./a"}, 2}));
  EXPECT_TRUE(heterogeneous({{"srun", "--het-group=0-2", "./a"}, 2}));
  EXPECT_TRUE(heterogeneous({{"srun", "--het-group", "0-2", "./a"}, 3}));
  EXPECT_TRUE(heterogeneous({{"srun", "--pack-group=0,2", "./a"}, 2}));
}

TEST(Heterogeneous, IsNotAStepOfOneGroup) {
  EXPECT_FALSE(heterogeneous({{"srun", "--het-group=1", "./a"}, 2}));
  EXPECT_FALSE(heterogeneous({{"srun", "./a", "--het-group=0,1", "x:y"}, 1}));
  EXPECT_FALSE(heterogeneous({{"srun", "-J", ":", "./a"}, 3}));
}

TEST(ExportLayout, NamesTheLayoutInEveryExportOfSruns) {
  EXPECT_EQ(
      export_layout({{"srun", "--export=NONE", "-n1", "./a", ":", "--export=ALL,B=1", "./b"}, 3}),
      (Words{"srun", "--export=SLURM_MUSTER_STEP,NONE", "-n1", "./a", ":",
             "--export=SLURM_MUSTER_STEP,ALL,B=1", "./b"}));
  EXPECT_EQ(export_layout({{"srun", "-n", "1", "--export", "A", "./a", ":", "./b"}, 5}),
            (Words{"srun", "-n", "1", "--export=SLURM_MUSTER_STEP,A", "./a", ":", "./b"}));
  EXPECT_EQ(export_layout({{"srun", "--export=A", "./a", ":", "./b"}, 0})[1],
            "--export=SLURM_MUSTER_STEP,A");
}

TEST(ExportLayout, IsInTheOptionsOfALaterComponent) {
  EXPECT_EQ(
      export_layout({{"srun", "./a", ":", "-n", "1", "--expor", "A", "./b", "--", "x"}, 0}),
      (Words{"srun", "./a", ":", "-n", "1", "--export=SLURM_MUSTER_STEP,A", "./b", "--", "x"}));
}

TEST(ExportLayout, LeavesAProgramsOwnArgumentsAlone) {
  const Words words{"srun",     "./a", "--export=1", ":",   "-N",  "2",         "./b",
                    "--export", "x",   ":",          "-n1", "./c", "--export=y"};
  EXPECT_EQ(export_layout({words, 1}), words);
  const Words short_ones{"srun"};
  EXPECT_EQ(export_layout({short_ones, 0}), short_ones);
  const Words cut{"srun", "--export"};
  EXPECT_EQ(export_layout({cut, 0}), cut);
}

TEST(ExportLayoutVariable, KeepsWhatTheUserWantsExported) {
  EXPECT_EQ(export_layout_variable({}), (Variable{"SRUN_EXPORT_ENV", "SLURM_MUSTER_STEP,ALL"}));
  EXPECT_EQ(export_layout_variable({{"SLURM_EXPORT_ENV", "NONE"}}),
            (Variable{"SRUN_EXPORT_ENV", "SLURM_MUSTER_STEP,NONE"}));
  EXPECT_EQ(export_layout_variable({{"SLURM_EXPORT_ENV", "NONE"}, {"SRUN_EXPORT_ENV", "A=1"}}),
            (Variable{"SRUN_EXPORT_ENV", "SLURM_MUSTER_STEP,A=1"}));
}

}  // namespace
}  // namespace muster::srun
