#include "core/remark/launchers.hpp"

#include "unit/core/remark/made_up_profile.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::remark {
namespace {

using Command = std::vector<std::string>;

constexpr auto* script = "import os\nprint(os.environ[\"RANK\"])\n";

TEST(Launcher, IsKnownByItsName) {
  EXPECT_EQ(launcher_of(Command{"torchrun", "train.py"}), "torchrun");
  EXPECT_EQ(launcher_of(Command{"/venv/bin/deepspeed"}), "deepspeed");
  EXPECT_EQ(launcher_of(Command{"accelerate", "launch", "train.py"}), "accelerate launch");
  EXPECT_EQ(launcher_of(Command{"accelerate-launch"}), "accelerate launch");
  EXPECT_EQ(launcher_of(Command{"/venv/bin/fabric", "run", "train.py"}), "fabric run");
  EXPECT_EQ(launcher_of(Command{"lightning", "run", "model", "train.py"}), "lightning run");
  EXPECT_EQ(launcher_of(Command{"python", "-m", "lightning.fabric.cli", "run", "train.py"}),
            "fabric run");
  EXPECT_EQ(launcher_of(Command{"fabric", "consolidate"}), "");
  EXPECT_EQ(launcher_of(Command{"colossalai", "run", "--nproc_per_node", "8", "train.py"}),
            "colossalai run");
  EXPECT_EQ(launcher_of(Command{"composer", "-n", "8", "train.py"}), "composer");
  EXPECT_EQ(launcher_of(Command{"python3.11", "-u", "-X", "dev", "-m", "torch.distributed.run"}),
            "torchrun");
}

TEST(Launcher, IsNoOtherProgram) {
  for (const auto& command :
       {Command{}, Command{"accelerate"}, Command{"accelerate", "config"}, Command{"python"},
        Command{"python", "-m", "torch"}, Command{"python", "torchrun.py"},
        Command{"./torchrun.sh"}, Command{"python", "train.py", "-m", "torch.distributed.run"}}) {
    EXPECT_EQ(launcher_of(command), "");
  }
}

TEST(PythonFile, IsTheFirstWordBehindPythonsOptions) {
  EXPECT_EQ(python_file_of(Command{"python", "-u", "-W", "ignore", "train.py", "x.py"}),
            "train.py");
  EXPECT_EQ(python_file_of(Command{"./train.py", "-m"}), "./train.py");
  for (const auto& command :
       {Command{}, Command{"python"}, Command{"python", "-m", "train.py"},
        Command{"python", "-c", "x.py"}, Command{"python", "-W"}, Command{"pythonic", "a.py"},
        Command{"./train", "a.py"}, Command{"python", "$SCRIPT"}}) {
    EXPECT_EQ(python_file_of(command), std::nullopt);
  }
}

TEST(MpiLauncher, IsKnownByItsDaemon) {
  EXPECT_EQ(mpi_launcher_of(Command{"orted", "-mca", "ess", "slurm"}), "mpirun");
  EXPECT_EQ(mpi_launcher_of(Command{"/opt/openmpi/bin/prted", "--prtemca"}), "mpirun");
  EXPECT_EQ(mpi_launcher_of(Command{"/opt/intel/bin//hydra_bstrap_proxy"}), "mpirun");
  EXPECT_EQ(mpi_launcher_of(Command{"/usr/bin/hydra_pmi_proxy", "--control-port"}), "mpiexec");
  EXPECT_EQ(mpi_launcher_of(Command{"python3", "orted"}), "");
  EXPECT_EQ(mpi_launcher_of(Command{}), "");
}

std::string in_tasks(const profile::Profile& profile, const Command& program) {
  return launcher_in_tasks(profile, program, {});
}

TEST(LauncherInTasks, IsOneUnderAProfileThatMakesTasksRanks) {
  EXPECT_EQ(in_tasks(ranks, Command{"torchrun", "train.py"}),
            "torchrun starts ranks itself, and it would do so in every task; leave it out, because "
            "profile p makes each task a rank, or use profile torchrun with --ntasks-per-node=1");
  EXPECT_EQ(in_tasks(ranks, Command{"accelerate", "launch"}).find("profile torchrun"),
            std::string::npos);
  EXPECT_EQ(in_tasks(agents, Command{"torchrun"}), "");
  EXPECT_EQ(in_tasks(made_up_profile("RANK", "1", profile::Mode::rank), Command{"torchrun"}), "");
  EXPECT_EQ(in_tasks(ranks, Command{"python", "train.py"}), "");
}

TEST(LauncherInTasks, MayBeInsideAWrapper) {
  const auto direct = in_tasks(ranks, Command{"torchrun", "train.py"});
  for (const auto& command :
       {Command{"bash", "-c", "torchrun --nproc-per-node 8 train.py"},
        Command{"uv", "run", "torchrun", "train.py"},
        Command{"bash", "-lc", "module load cuda; python3 -m torch.distributed.run train.py"},
        Command{"apptainer", "exec", "--nv", "image.sif", "torchrun", "train.py"}}) {
    EXPECT_EQ(in_tasks(ranks, command), direct) << command.back();
  }
  EXPECT_EQ(in_tasks(ranks, Command{"bash", "-c", "which torchrun; python3 train.py"}), "");
}

TEST(LauncherInTasks, SaysHowATrainingToolRunsAsOneRank) {
  EXPECT_EQ(
      in_tasks(ranks, Command{"axolotl", "train", "config.yml"}),
      "axolotl train starts ranks itself, and it would do so in every task; add --launcher python, because "
      "profile p makes each task a rank");
  EXPECT_EQ(
      launcher_in_tasks(ranks, Command{"uv", "run", "swift", "sft"}, {{"NNODES", "2"}}),
      "with NNODES set, swift sft starts ranks itself, and it would do so in every task; unset "
      "NPROC_PER_NODE and NNODES, because profile p makes each task a rank");
}

TEST(ScriptWithoutLauncher, IsOneThatReadsItsRank) {
  const Command command{"python", "train.py"};
  EXPECT_EQ(
      script_without_launcher(agents, command, script),
      "profile p leaves RANK to torchrun, but this command does not start torchrun; did you mean "
      "--distributed=torch, or torchrun train.py?");
  EXPECT_EQ(script_without_launcher(ranks, command, script), "");
  EXPECT_EQ(script_without_launcher(agents, command, "print(1)"), "");
  EXPECT_EQ(script_without_launcher(agents, command, std::string(script) + "subprocess.run(x)"),
            "");
  EXPECT_EQ(script_without_launcher(agents, Command{"torchrun", "train.py"}, script), "");
}

}  // namespace
}  // namespace muster::remark
