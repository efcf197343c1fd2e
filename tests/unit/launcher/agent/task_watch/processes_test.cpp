// A step's processes in a made-up /proc.
#include "launcher/agent/task_watch/processes.hpp"

#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::task_watch {
namespace {

using namespace std::string_literals;

class Processes : public testing::Test {
 protected:
  void add(int pid, int parent, const std::string& environment, const std::string& cpus = "0-3",
           const std::string& arguments = "./train\0-x\0"s) const {
    const auto number = std::to_string(pid);
    std::filesystem::create_directory(proc_.path(number));
    proc_.write(number + "/environ", environment);
    proc_.write(number + "/cmdline", arguments);
    proc_.write(number + "/status", "Name:\tpython3\nUmask:\t0022\nPPid:\t" +
                                        std::to_string(parent) +
                                        "\nCpus_allowed:\tf\nCpus_allowed_list:\t" + cpus + "\n");
  }

  // "PID:TASK:CPUS" for each process.
  [[nodiscard]] std::string seen(const std::string& step = "42.0") const {
    std::string text;
    for (const auto& process : task_processes(proc_.path(), step, geteuid())) {
      text += (text.empty() ? "" : " ") + std::to_string(process.pid) + ":" +
              std::to_string(process.procid) + ":" + process.cpus.to_string();
    }
    return text;
  }

  fixtures::ScratchDirectory proc_;
};

const std::string first = "PATH=/bin\0SLURM_PROCID=2\0MUSTER_STEP=42.0\0"s;
const std::string second = "MUSTER_STEP=42.0\0SLURM_PROCID=3\0"s;

TEST_F(Processes, AreTheStepsByTheirEnvironment) {
  add(10, 1, first, "0-3");
  add(11, 1, second, "4-7,64");
  add(12, 1, "MUSTER_STEP=43.0\0SLURM_PROCID=0\0"s);
  add(13, 1, "MUSTER_STEP=42.01\0XMUSTER_STEP=42.0\0SLURM_PROCID=0\0"s);
  add(14, 1, "MUSTER_STEP=42.0\0"s);
  add(15, 1, "");
  EXPECT_EQ(seen(), "10:2:0-3 11:3:4-7,64");
  EXPECT_EQ(seen("44.0"), "");
}

TEST_F(Processes, AreThoseBelowATaskWithAnEnvironmentOfTheirOwn) {
  add(10, 1, first);
  add(11, 10, "PATH=/bin\0"s, "1");
  add(9, 11, "", "2");
  add(12, 10, "MUSTER_STEP=43.0\0SLURM_PROCID=0\0"s);
  add(13, 12, "");
  EXPECT_EQ(seen(), "9:2:2 10:2:0-3 11:2:1");
}

TEST_F(Processes, HaveANameAndArguments) {
  add(10, 7, first + "ACCELERATE_CPU_AFFINITY=1\0"s);
  const auto found = task_processes(proc_.path(), "42.0", geteuid());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "python3");
  EXPECT_EQ(found[0].parent, 7);
  EXPECT_EQ(found[0].arguments, (std::vector<std::string>{"./train", "-x"}));
  EXPECT_TRUE(found[0].accelerate_binds);
}

TEST_F(Processes, ArePassedOverWhereTheyCannotBeReadOrAreSomebodyElses) {
  add(10, 1, first, "rubbish");
  add(11, 1, first, "");
  std::filesystem::create_directory(proc_.path("12"));  // it ended while it was being read
  std::filesystem::create_directory(proc_.path("self"));
  EXPECT_EQ(seen(), "");
  add(13, 1, first);
  EXPECT_TRUE(task_processes(proc_.path(), "42.0", geteuid() + 1).empty());
  EXPECT_TRUE(task_processes(proc_.path("nowhere"), "42.0", geteuid()).empty());
}

TEST_F(Processes, DoNotLeadInCircles) {
  add(10, 11, "");
  add(11, 10, "");
  EXPECT_EQ(seen(), "");
}

}  // namespace
}  // namespace muster::task_watch
