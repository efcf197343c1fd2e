#include "core/remark/wrapped.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::remark {
namespace {

using Commands = std::vector<Command>;

// A line without quotes, as a shell would pass it on.
Command words(const std::string& line) {
  Command all;
  for (std::size_t at = 0; at < line.size();) {
    const auto end = std::min(line.find(' ', at), line.size());
    all.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

TEST(CommandsIn, IsTheProgramItselfWithoutAWrapper) {
  for (const auto* line :
       {"torchrun train.py", "uv pip torchrun", "apptainer run image torchrun",
        "python3 train.py torchrun", "bash torchrun", "conda create -n torchrun"}) {
    EXPECT_EQ(commands_in(words(line)), Commands{words(line)}) << line;
  }
  EXPECT_EQ(commands_in(Command{}), Commands{});
}

TEST(CommandsIn, IsWhatAWrapperStarts) {
  for (const auto* wrapper : {"uv run",
                              "uv --project x run --with torch -p 3.12",
                              "/opt/bin/poetry run",
                              "pipenv run",
                              "conda run --no-capture-output -n torchrun",
                              "micromamba run -n deepspeed",
                              "/usr/bin/env -u A B=C d=e",
                              "env -i -",
                              "numactl -N 0 -m 0",
                              "numactl --cpunodebind=0 --localalloc",
                              "taskset -c 0-3",
                              "nice -n 5",
                              "nohup",
                              "time -p",
                              "/usr/bin/time -v -o torchrun",
                              "timeout -k 5 1h",
                              "stdbuf -oL",
                              "apptainer exec --nv -B /data --env A=B torchrun.sif",
                              "singularity exec --cleanenv deepspeed",
                              "nsys profile -t cuda,nvtx -o torchrun --force-overwrite=true",
                              "ncu -o x --set full",
                              "py-spy record -o out.svg --",
                              "env A=B uv run nsys profile -w true",
                              "A=B exec"}) {
    const auto line = std::string(wrapper) + " torchrun train.py -n 2";
    EXPECT_EQ(commands_in(words(line)), Commands{words("torchrun train.py -n 2")}) << line;
  }
}

TEST(CommandsIn, TakesNoValueOfAnOptionForACommand) {
  EXPECT_EQ(commands_in(words("conda run -n torchrun python3 train.py")),
            Commands{words("python3 train.py")});
  EXPECT_EQ(commands_in(words("apptainer exec -B /x torchrun python3")),
            Commands{words("python3")});
  EXPECT_EQ(commands_in(words("nsys profile --new-option torchrun.txt python3")),
            Commands{words("torchrun.txt python3")});
  EXPECT_EQ(commands_in(words("numactl -N")), Commands{});
  EXPECT_EQ(commands_in(words("env")), Commands{});
}

TEST(CommandsIn, LooksIntoTheTextThatAShellRuns) {
  const auto by = [](Command shell) {
    shell.emplace_back("cd x && exec numactl -N 0 torchrun train.py");
    return commands_in(shell);
  };
  const Commands both{words("cd x"), words("torchrun train.py")};
  for (const auto* shell :
       {"bash -c", "/bin/sh -c", "bash -lc", "bash -l -c", "bash -euo pipefail -c",
        "bash --rcfile x -xec", "env A=B bash -c", "apptainer exec x.sif bash -c"}) {
    EXPECT_EQ(by(words(shell)), both) << shell;
  }
  EXPECT_EQ(commands_in(Command{"bash", "-c"}), Commands{words("bash -c")});
  EXPECT_EQ(commands_in(Command{"bash", "-c", "echo 'x; torchrun'"}),
            (Commands{{"echo", "'x; torchrun'"}}));
  EXPECT_EQ(commands_in(Command{"bash", "-c", "[ $SLURM_LOCALID = 0 ] && torchrun"}), Commands{});
}

TEST(CommandsIn, ReadsAnyNumberOfWrappers) {
  Command line(100'000, "nohup");
  line.emplace_back("torchrun");
  EXPECT_EQ(commands_in(line), Commands{Command{"torchrun"}});
}

TEST(RunsInApptainer, AlsoBehindAWrapperOrAShell) {
  for (const auto* line :
       {"apptainer exec --nv x.sif python3 train.py", "/opt/bin/singularity run x.sif train.py",
        "numactl -N 0 apptainer exec x.sif python3", "A=B env C=D apptainer shell x.sif",
        "./x.sif python3 train.py"}) {
    EXPECT_TRUE(runs_in_apptainer(words(line))) << line;
  }
  EXPECT_TRUE(
      runs_in_apptainer(Command{"bash", "-c", "cd x && exec apptainer exec x.sif python3"}));
}

TEST(RunsInApptainer, OnlyIfItIsTheProgram) {
  for (const auto* line : {"python3 train.py", "python3 apptainer x.sif", "podman run x.sif"}) {
    EXPECT_FALSE(runs_in_apptainer(words(line))) << line;
  }
  EXPECT_FALSE(runs_in_apptainer(Command{}));
  EXPECT_FALSE(runs_in_apptainer(Command{"bash", "-c", "echo apptainer"}));
}

}  // namespace
}  // namespace muster::remark
