#include "core/srun/salloc.hpp"
#include "fixtures/scratch_directory.hpp"
#include "launcher/os/command_output.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

// From whichever release is installed; needs no running Slurm, only the program.
TEST(SallocOptionsOfItsHelp, AreReadFromTheRealOne) {
  const fixtures::ScratchDirectory scratch;
  const auto conf = scratch.write("slurm.conf", "ClusterName=c\nSlurmctldHost=localhost\n");
  const auto help = os::command_output({"env", "SLURM_CONF=" + conf, "salloc", "--help"},
                                       std::chrono::seconds{20});
  if (help.find("Usage: salloc") == std::string::npos) GTEST_SKIP() << "no salloc here: " << help;
  const auto names = srun::salloc_options(help).names;
  const auto has = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
  for (const auto* const name : {"account",       "constraint",    "cpus-per-task",
                                 "exclude",       "exclusive",     "gpus",
                                 "gpus-per-node", "gpus-per-task", "gres",
                                 "immediate",     "job-name",      "mem",
                                 "no-bell",       "no-kill",       "nodelist",
                                 "nodes",         "ntasks",        "ntasks-per-node",
                                 "partition",     "qos",           "quiet",
                                 "reservation",   "time"}) {
    EXPECT_TRUE(has(name)) << name;
  }
  for (const auto* const name : {"export", "label", "mpi", "output", "pty", "kill-on-bad-exit"}) {
    EXPECT_FALSE(has(name)) << name;
  }
}

}  // namespace
}  // namespace muster::slurm
