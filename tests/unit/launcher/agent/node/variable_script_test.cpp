#include "launcher/agent/node/variable_script.hpp"

#include "fixtures/scratch_directory.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace muster::node {
namespace {

class Script : public testing::Test {
 protected:
  ScriptResult sourced(const std::string& text, int milliseconds = 5000) {
    return exported_by({.script = directory_.write("profile.sh", text),
                        .trust = file::trust_any_owner(),
                        .cache = "off",
                        .environment = {{"HOME", "/home/alice"}, {"SECRET", "1"}},
                        .timeout = std::chrono::milliseconds{milliseconds}});
  }
  fixtures::ScratchDirectory directory_;
};

TEST_F(Script, GivesWhatItExports) {
  const auto result = sourced("export A=1 B='two words'\nC=3\nexport HOME=$HOME\nD=4; export D\n");
  ASSERT_TRUE(result.exported) << result.failure;
  auto exported = *result.exported;
  for (const auto* const shells : {"PWD", "SHLVL", "_"}) exported.unset(shells);
  EXPECT_EQ(exported, (Environment{{"A", "1"}, {"B", "two words"}, {"D", "4"}}));
}

TEST_F(Script, KnowsWhereItIsAndNothingOfTheJob) {
  const auto result = sourced("export WHERE=$(dirname \"${BASH_SOURCE[0]}\") S=$SECRET\n");
  ASSERT_TRUE(result.exported) << result.failure;
  EXPECT_EQ(result.exported->get("WHERE"), directory_.path());
  EXPECT_EQ(result.exported->get("S"), "");
}

TEST_F(Script, MayPrintWhatItWants) {
  const auto result =
      sourced("echo garbage=1; echo more=2 >&2; export A=1; env() { echo no; }; false\n");
  ASSERT_TRUE(result.exported) << result.failure;
  EXPECT_EQ(result.exported->get("A"), "1");
  EXPECT_FALSE(result.exported->contains("garbage"));
}

TEST_F(Script, ThatEndsTheShellIsAFailure) {
  EXPECT_EQ(
      sourced("export A=1\nexit 0\n").failure,
      directory_.path("profile.sh") + ": exits the shell, or is not a bash script; fix the script");
}

TEST_F(Script, ThatHangsIsEndedWithWhatItHasStarted) {
  const auto begin = std::chrono::steady_clock::now();
  const auto result = sourced("sleep 60 & sleep 60\n", 300);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{5});
  EXPECT_EQ(result.failure,
            directory_.path("profile.sh") + ": did not finish within 0.3 s; fix the script");
}

TEST_F(Script, MayNotExportMoreThanItsBound) {
  const auto result = sourced("export A=$(head -c 100000 /dev/zero | tr '\\0' a)\n");
  EXPECT_EQ(result.failure,
            directory_.path("profile.sh") + ": exports more than 65536 bytes; fix the script");
}

TEST_F(Script, MustBeThereAndItsOwnersMustBeTrusted) {
  ScriptQuestion question{.script = directory_.path("none.sh"),
                          .trust = file::trust_any_owner(),
                          .cache = "off",
                          .environment = {}};
  EXPECT_NE(exported_by(question).failure.find("there is no such file"), std::string::npos);
  question.script = directory_.write("profile.sh", "export A=1\n");
  question.trust = file::Trust{{54321}, false};
  EXPECT_FALSE(exported_by(question).exported);
}

TEST_F(Script, IsSourcedOnceUntilItChanges) {
  const fixtures::ScratchDirectory kept;
  ScriptQuestion question{.script = directory_.write(
                              "profile.sh", "date >> $(dirname $BASH_SOURCE)/runs; export A=1\n"),
                          .trust = file::trust_any_owner(),
                          .cache = kept.path(),
                          .environment = {}};
  const auto runs = [&] {
    std::ifstream file(directory_.path("runs"));
    std::string line;
    int count = 0;
    while (std::getline(file, line)) ++count;
    return count;
  };
  EXPECT_EQ(exported_by(question).exported->get("A"), "1");
  EXPECT_EQ(exported_by(question).exported->get("A"), "1");
  EXPECT_EQ(runs(), 1);
  directory_.write("profile.sh", "date >> $(dirname $BASH_SOURCE)/runs; export A=second\n");
  EXPECT_EQ(exported_by(question).exported->get("A"), "second");
  EXPECT_EQ(runs(), 2);
}

}  // namespace
}  // namespace muster::node
