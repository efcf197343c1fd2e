#include "core/hang/hint.hpp"

#include "core/hang/text.hpp"

#include <gtest/gtest.h>

namespace muster::hang {
namespace {

dump::Group group_in(const std::string& function, const std::string& file, std::uint32_t rank) {
  return {.standing = dump::Standing::waiting,
          .ranks = {rank},
          .what = "sleeping",
          .stack = {{function, file, 51},
                    {"_jit_compile", "/venv/site-packages/torch/utils/cpp_extension.py", 2400},
                    {"main", "/home/alice/train.py", 7}}};
}

constexpr const char* baton = "/venv/site-packages/torch/utils/file_baton.py";

TEST(HangHint, SaysThatAKilledCompilationMayHaveLeftTheLockFileThatRanksWaitFor) {
  dump::Dump dump;
  dump.groups = {group_in("wait", baton, 0)};
  const std::string advice =
      " for a lock file of torch's C++ extensions (below TORCH_EXTENSIONS_DIR, by default "
      "~/.cache/torch_extensions), which a process that was killed while it compiled may have left: if "
      "nothing is compiling, remove the file named lock and restart";
  EXPECT_EQ(hint(dump), "rank 0 waits" + advice);
  EXPECT_EQ(suspects(dump),
            "all in the same place: rank 0: sleeping, in wait (file_baton.py:51), called by main "
            "(train.py:7); rank 0 waits" +
                advice);
  dump.groups.push_back(
      group_in("barrier", "/venv/site-packages/torch/distributed/distributed_c10d.py", 1));
  dump.groups.push_back(group_in("wait", baton, 2));
  EXPECT_EQ(hint(dump), "ranks 0,2 wait" + advice);
}

TEST(HangHint, IsSilentAboutOtherPlaces) {
  dump::Dump dump;
  EXPECT_EQ(hint(dump), "");
  dump.groups = {group_in("wait", "/home/alice/file_baton.py", 0), group_in("release", baton, 1),
                 group_in("wait", "/usr/lib/python3.11/threading.py", 2)};
  EXPECT_EQ(hint(dump), "");
}

}  // namespace
}  // namespace muster::hang
