#include "launcher/agent/ranks/process_table.hpp"

#include "fixtures/scratch_directory.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace muster::ranks {
namespace {

using namespace std::string_literals;

std::vector<pid_t> pids_of(const ProcessTable& table, const std::optional<uid_t>& user = {}) {
  std::vector<pid_t> pids;
  const auto add = [&](const SeenProcess& process) { pids.push_back(process.pid()); };
  user ? table.each_of(*user, add) : table.each(add);
  std::ranges::sort(pids);
  return pids;
}

TEST(ProcessTable, VisitsEveryDirectoryThatIsANumber) {
  const fixtures::ScratchDirectory proc;
  for (const auto* name : {"7", "12", "self", "7x", "sys", "-3x"})
    std::filesystem::create_directory(proc.path(name));
  EXPECT_EQ(pids_of(ProcessTable(proc.path())), (std::vector<pid_t>{7, 12}));
  EXPECT_EQ(pids_of(ProcessTable(proc.path()), geteuid()), (std::vector<pid_t>{7, 12}));
  EXPECT_TRUE(pids_of(ProcessTable(proc.path()), geteuid() + 1).empty());
  EXPECT_TRUE(pids_of(ProcessTable(proc.path("nowhere"))).empty());
}

TEST(ProcessTable, ReadsWhatIsAskedOfAProcess) {
  Script script("echo ready; sleep 60", {"NAME=value"});
  EXPECT_EQ(script.line(), "ready");
  const SeenProcess process("/proc", script.pid());
  ASSERT_TRUE(process.stat());
  EXPECT_EQ(process.stat()->parent, getpid());
  EXPECT_TRUE(process.belongs_to(geteuid()));
  EXPECT_EQ(variable_in(process.environment(), "NAME"), "value");
  EXPECT_FALSE(process.control_groups().empty());
  EXPECT_FALSE(process.file("cmdline", 100).empty());
  EXPECT_EQ(process.file("cmdline", 1).size(), 1U);
}

TEST(ProcessTable, HasNothingOfAProcessThatHasEnded) {
  const fixtures::ScratchDirectory proc;
  const SeenProcess process(proc.path(), 7);
  EXPECT_FALSE(process.stat());
  EXPECT_FALSE(process.belongs_to(geteuid()));
  EXPECT_EQ(process.environment(), "");
  EXPECT_EQ(ProcessTable(proc.path()).settled_environment(process), "");
}

TEST(VariableIn, IsTheFirstOfItsWholeName) {
  const auto environment = "XA=0\0A=1\0A=2\0AB=3\0EMPTY=\0C"s;
  EXPECT_EQ(variable_in(environment, "A"), "1");
  EXPECT_EQ(variable_in(environment, "EMPTY"), "");
  EXPECT_EQ(variable_in(environment, "C"), std::nullopt);
  EXPECT_EQ(variable_in(environment, "B"), std::nullopt);
  EXPECT_EQ(variable_in("", "A"), std::nullopt);
}

}  // namespace
}  // namespace muster::ranks
