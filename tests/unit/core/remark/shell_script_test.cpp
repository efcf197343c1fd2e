#include "core/remark/shell_script.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::remark {
namespace {

using Commands = std::vector<std::vector<std::string>>;

TEST(ShellScript, IsSplitIntoItsCommands) {
  EXPECT_EQ(unconditional_commands(
                "cd /x && . venv/bin/activate; python3  train.py\t--lr 1 2>&1 | tee log"),
            (Commands{{"cd", "/x"},
                      {".", "venv/bin/activate"},
                      {"python3", "train.py", "--lr", "1", "2>"},
                      {"1"},
                      {"tee", "log"}}));
  EXPECT_EQ(unconditional_commands("one \\\n two # three; four\nfive"),
            (Commands{{"one", "two"}, {"five"}}));
  EXPECT_EQ(unconditional_commands(" ;\n& "), Commands{});
}

TEST(ShellScript, KeepsQuotedTextTogether) {
  EXPECT_EQ(unconditional_commands(R"(echo 'a; b' "c \" && d"e f\ g)"),
            (Commands{{"echo", "'a; b'", R"("c \" && d"e)", R"(f\ g)"}}));
  EXPECT_EQ(unconditional_commands("echo 'open"), (Commands{{"echo", "'open"}}));
  EXPECT_EQ(unconditional_commands("echo \"open\\"), (Commands{{"echo", "\"open\\"}}));
  EXPECT_EQ(unconditional_commands("\\"), (Commands{{"\\"}}));
}

TEST(ShellScript, LeavesOutWhatRunsAfterAFailureOnly) {
  EXPECT_EQ(unconditional_commands("module load cuda || exit 1; a || b && c | d\ne"),
            (Commands{{"module", "load", "cuda"}, {"a"}, {"e"}}));
}

TEST(ShellScript, CountsAsEmptyWhereNotEveryTaskMayRunAll) {
  for (const auto* script :
       {"if [ $SLURM_LOCALID = 0 ]; then\nrun\nfi", "[ $SLURM_LOCALID = 0 ] && run",
        "test -e x && run", "[[ $RANK == 0 ]] && run", "while true\ndo\nrun\ndone",
        "case $X in\n0)\nrun\nesac", "f() {\nrun\n}", "f () {\nrun\n}", "function f {\nrun\n}",
        "((SLURM_LOCALID == 0)) && run", "cat <<END\nrun\nEND"}) {
    EXPECT_EQ(unconditional_commands(script), Commands{}) << script;
  }
}

}  // namespace
}  // namespace muster::remark
