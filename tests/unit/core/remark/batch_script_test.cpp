#include "core/remark/batch_script.hpp"

#include "unit/core/remark/made_up_profile.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::remark {
namespace {

std::optional<std::string> read(const std::string& path) {
  if (path == "train.py") return "torch.distributed.init_process_group('gloo')\n";
  if (path == "prepare.py") return "print('data')\n";
  if (path == "steps.py") return "import submitit  # init_process_group\n";
  return std::nullopt;
}

std::string remark_on_script(const std::string& lines, const profile::Profile& profile = ranks) {
  return training_without_srun(profile, "#!/bin/bash\n#SBATCH --distributed\n" + lines, read);
}

TEST(TrainingWithoutSrun, IsPythonWithAFileThatJoinsRanks) {
  EXPECT_EQ(remark_on_script("source venv/bin/activate\nexport A=b\npython -u train.py --lr 1\n"),
            "the script starts python train.py without srun, but --distributed applies only to "
            "the tasks of srun; write srun python train.py");
  EXPECT_NE(remark_on_script("OMP_NUM_THREADS=2 exec python3 train.py"), "");
  EXPECT_NE(training_without_srun(ranks, "python train.py", read), "");  // --wrap
}

TEST(TrainingWithoutSrun, IsALauncher) {
  EXPECT_NE(remark_on_script("torchrun --nnodes=2 train.py").find("in place of torchrun"),
            std::string::npos);
  EXPECT_NE(remark_on_script("torchrun train.py", agents).find("write srun torchrun"),
            std::string::npos);
}

TEST(TrainingWithoutSrun, IsNoneWhereSrunMayBeReached) {
  for (const auto* const lines :
       {"srun python train.py", "mpirun true\npython train.py", "./run.sh\npython train.py",
        "bash run\npython train.py", "S=srun\npython train.py", "eval \"$RUN\"\npython train.py"}) {
    EXPECT_EQ(remark_on_script(lines), "") << lines;
  }
}

TEST(TrainingWithoutSrun, IsNoOtherPython) {
  for (const auto* const lines :
       {"python prepare.py", "python steps.py", "python nowhere.py", "python -m venv x",
        "# python train.py", "echo python train.py", "python $SCRIPT", ""}) {
    EXPECT_EQ(remark_on_script(lines), "") << lines;
  }
}

TEST(TrainingWithoutSrun, IsNoneUnderAProfileWithoutRanks) {
  EXPECT_EQ(remark_on_script("python train.py", made_up_profile("RANK", "1", profile::Mode::rank)),
            "");
}

TEST(TrainingBySalloc, IsPythonOrALauncherAsTheCommand) {
  const auto remark_on = [](const std::vector<std::string>& command) {
    return training_by_salloc(ranks, command, read);
  };
  EXPECT_EQ(remark_on({"python", "-u", "train.py", "--lr", "1"}),
            "salloc starts python train.py once, on this host and without a rank, because "
            "--distributed applies only to the tasks of srun; write srun before the command, or in "
            "place of salloc");
  EXPECT_NE(remark_on({"torchrun", "train.py"}).find("write srun in place of torchrun"),
            std::string::npos);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"srun", "python", "train.py"},
        {"python", "prepare.py"},
        {"bash"},
        {}}) {
    EXPECT_EQ(remark_on(command), "");
  }
}

}  // namespace
}  // namespace muster::remark
