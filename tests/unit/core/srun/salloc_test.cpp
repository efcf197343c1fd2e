#include "core/srun/salloc.hpp"

#include "core/error.hpp"

#include <gtest/gtest.h>

namespace muster::srun {
namespace {

using Words = std::vector<std::string>;

// In the format of Slurm's own text.
const SallocOptions known = salloc_options(
    "Usage: salloc [OPTIONS(0)...] [command(0) [args(0)...]]\n"
    "\n"
    "  -n, --ntasks=N              how many tasks\n"
    "      --ntasks-per-node=n     how many on each node\n"
    "  -N, --nodes=N               how many nodes\n"
    "  -B  --extra-node-info=S     sockets\n"
    "  -D, --chdir=path            another directory\n"
    "  -I, --immediate[=secs]      not later\n"
    "      --exclusive[=user]      nobody else\n"
    "      --exclusive[=mcs]       nobody else either\n"
    "      --container             needs a value all the same\n"
    "  -K, --kill-command[=signal] how it ends\n"
    "  -O, --overcommit            too much (see \"--overcommit=help\")\n"
    "  -p, --partition=partition   where\n"
    "  -m, --distribution=type     how tasks are placed\n"
    "  -Q, --quiet                 nothing said\n"
    "      --no-bell               no bell\n"
    "      --mem=MB                as --mem-per-cpu, for a node\n"
    "  -G, --gpus=n                GPUs\n"
    "      --distributed=PROFILE   [muster]\n"
    "      --scratch=SIZE          [another plugin]\n");

TEST(SallocOptionsOfItsHelp, AreAllLongNames) {
  EXPECT_EQ(known.names, (Words{"ntasks", "ntasks-per-node", "nodes", "extra-node-info", "chdir",
                                "immediate", "exclusive", "container", "kill-command", "overcommit",
                                "partition", "distribution", "quiet", "no-bell", "mem",
                                "mem-per-cpu", "gpus", "distributed", "scratch"}));
  EXPECT_EQ(salloc_options("salloc: fatal: no configuration\n"), SallocOptions{});
}

TEST(SallocBesideSrun, IsOfTheSameSlurm) {
  EXPECT_EQ(salloc_beside("/opt/slurm/bin/srun"), "/opt/slurm/bin/salloc");
  EXPECT_EQ(salloc_beside("srun"), "salloc");
}

Words salloc(Words options, std::uint32_t spares = 0, const Environment& environment = {}) {
  options.insert(options.begin(), "/bin/srun");
  const auto program = options.size();
  options.insert(options.end(), {"bin/train", "--nodes=7"});
  auto words =
      salloc_command(known, {options, program}, environment, spares, {"muster", "--", "x"});
  EXPECT_EQ(Words(words.end() - 3, words.end()), (Words{"muster", "--", "x"}));
  return {words.begin(), words.end() - 3};
}

Words with_name(Words options) {
  options.insert(options.begin(), {"/bin/salloc", "--no-bell", "--job-name=train"});
  return options;
}

TEST(Salloc, IsGivenWhatItKnowsOfSrunsOptions) {
  EXPECT_EQ(salloc({"-N2", "-n", "8", "-lpdebug", "-I", "--exclusive", "-O", "--mem", "2G",
                    "--container", "/image", "-Q"}),
            with_name({"--nodes=2", "--ntasks=8", "--partition=debug", "--immediate", "--exclusive",
                       "--overcommit", "--mem=2G", "--container=/image", "--quiet"}));
}

TEST(Salloc, IsNotGivenWhatIsTheStepsOwn) {
  EXPECT_EQ(salloc({"-K", "-o", "out", "--pty", "-D", "sub", "--export=ALL", "--mpi=pmix",
                    "--kill-on-bad-exit=0", "--distributed=torch,spares=1"}),
            with_name({}));
}

// salloc refuses -n4 -N3 with plane=2, which srun accepts.
TEST(Salloc, IsNotGivenAPlaneOfTasks) {
  EXPECT_EQ(salloc({"-n4", "-m", "plane=2", "-N3"}), with_name({"--ntasks=4", "--nodes=3"}));
  EXPECT_EQ(salloc({"--distribution=cyclic"}), with_name({"--distribution=cyclic"}));
}

TEST(Salloc, IsGivenOtherPluginsOptionsAsTheyAre) {
  EXPECT_EQ(salloc({"--scratch=1G", "--scratch", "2G", "--unknown=1"}),
            with_name({"--scratch=1G", "--scratch", "2G"}));
}

TEST(Salloc, IsNotGivenWhatAVariableDenies) {
  EXPECT_EQ(salloc({}, 0, {{"SLURM_OVERCOMMIT", "0"}, {"SLURM_EXCLUSIVE", ""}}),
            with_name({"--exclusive"}));
}

TEST(Salloc, IsGivenWhatItsHelpIsSilentAbout) {
  EXPECT_EQ(salloc({"--prefer=fast", "--tasks-per-node=2"}),
            with_name({"--prefer=fast", "--ntasks-per-node=2"}));
}

TEST(Salloc, NamesTheJobAsSrunDoesOrAsTheUserSays) {
  auto words = salloc({}, 0, {{"SLURM_JOB_NAME", "night"}});
  EXPECT_EQ(words, with_name({}));  // this salloc does not know --job-name
  EXPECT_EQ(salloc_command({{"job-name"}}, {{"srun", "-Jday", "./p"}, 2}, {}, 0, {}),
            (Words{"salloc", "--job-name=p", "--job-name=day"}));
}

TEST(Salloc, IsGivenSrunsVariablesAndNotItsOwn) {
  EXPECT_EQ(salloc({"-pbig"}, 0,
                   {{"SLURM_PARTITION", "small"},
                    {"SLURM_OVERCOMMIT", "1"},
                    {"SLURM_NPROCS", "3"},
                    {"SLURM_NTASKS", "4"},
                    {"SALLOC_PARTITION", "other"},
                    {"SALLOC_GPUS", "1"}}),
            (Words{"env", "-u", "SALLOC_GPUS", "-u", "SALLOC_PARTITION", "/bin/salloc", "--no-bell",
                   "--job-name=train", "--ntasks=3", "--ntasks=4", "--overcommit",
                   "--partition=small", "--partition=big"}));
}

Words tail(const Words& words, std::size_t count) {
  return {words.end() - static_cast<std::ptrdiff_t>(count), words.end()};
}

TEST(Salloc, TakesSparesInProportion) {
  EXPECT_EQ(tail(salloc({"-N4"}, 1), 1), (Words{"--nodes=5"}));
  EXPECT_EQ(tail(salloc({"-N4", "-n16"}, 1), 3),
            (Words{"--nodes=5", "--ntasks=20", "--ntasks-per-node=4"}));
  EXPECT_EQ(tail(salloc({"-N2-4"}, 2), 1), (Words{"--nodes=4-6"}));
  EXPECT_EQ(tail(salloc({"-N2", "-Ga100:4,h100:2"}, 1), 2),
            (Words{"--nodes=3", "--gpus=a100:6,h100:3"}));
  EXPECT_EQ(tail(salloc({"-N1", "-N2"}, 1, {{"SLURM_NTASKS", "4"}}), 3),
            (Words{"--nodes=3", "--ntasks=6", "--ntasks-per-node=2"}));
}

TEST(Salloc, LeavesItToTheUserHowTasksGoToNodes) {
  EXPECT_EQ(tail(salloc({"-N4", "-n8", "--ntasks-per-node=4"}, 1), 2),
            (Words{"--nodes=5", "--ntasks=10"}));
  EXPECT_EQ(tail(salloc({"-N4", "-n8", "--ntasks-per-gpu=1"}, 1), 2),
            (Words{"--nodes=5", "--ntasks=10"}));
}

TEST(Salloc, FindsTheNodesOfAStepByItsTasks) {
  EXPECT_EQ(tail(salloc({"-n16", "--ntasks-per-node=4"}, 2), 2),
            (Words{"--nodes=6", "--ntasks=24"}));
}

std::string refusal(const Words& options) {
  try {
    salloc(options, 1);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Salloc, RefusesSparesThatCannotBeAdded) {
  EXPECT_EQ(refusal({"-n16"}), "spares=1: the number of nodes is not set; use -N");
  EXPECT_NE(refusal({}).find("use -N"), std::string::npos);
  EXPECT_NE(refusal({"-n15", "--ntasks-per-node=4"}).find("use -N"), std::string::npos);
  EXPECT_EQ(
      refusal({"-N4", "-n10"}),
      "spares=1: 10 tasks cannot be divided evenly among 4 nodes; use --ntasks-per-node instead of -n");
  EXPECT_EQ(refusal({"-N4", "-G", "6"}),
            "spares=1: --gpus='6' cannot be divided evenly among 4 nodes; use --gpus-per-node");
  EXPECT_EQ(refusal({"-N2,4"}),
            "spares=1: cannot add spare nodes to --nodes='2,4'; use a number or MIN-MAX");
  for (const auto* const nodes : {"-N0", "-N4-2", "-Nx", "-N1-15:4", "-N-3"}) {
    EXPECT_NE(refusal({nodes}).find("cannot add"), std::string::npos) << nodes;
  }
  EXPECT_NE(refusal({"-N2", "-m", "arbitrary"}).find("arbitrary"), std::string::npos);
}

const Command two_programs{{"/bin/srun", "-N1", "-n1", "--distributed=torch", "./a", "x", ":",
                            "-N2", "-pbig", "-K", "bin/b", "-N7"},
                           4};

TEST(Salloc, IsGivenEachComponent) {
  EXPECT_EQ(
      salloc_command(known, two_programs, {{"SLURM_NTASKS", "2"}}, 0, {"muster"}),
      (Words{"/bin/salloc", "--no-bell", "--job-name=a", "--ntasks=2", "--nodes=1", "--ntasks=1",
             ":", "--job-name=b", "--ntasks=2", "--nodes=2", "--partition=big", "muster"}));
}

// srun gives the program of one component to those without a program.
TEST(Salloc, NamesNoJobAfterAColon) {
  EXPECT_EQ(salloc_command(known, {{"srun", "-N1", ":", "-N2", "./b"}, 0}, {}, 0, {}),
            (Words{"salloc", "--no-bell", "--nodes=1", ":", "--job-name=b", "--nodes=2"}));
}

TEST(Salloc, RefusesSparesForSeveralComponents) {
  try {
    salloc_command(known, two_programs, {}, 1, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "spares=1: a step with several components (srun A : B) restarts only on the same "
                 "nodes; leave out spares=");
  }
}

TEST(Salloc, NeedsNothingOfThatWithoutSpares) {
  EXPECT_EQ(salloc({"-N2,4", "-n10"}), with_name({"--nodes=2,4", "--ntasks=10"}));
}

}  // namespace
}  // namespace muster::srun
