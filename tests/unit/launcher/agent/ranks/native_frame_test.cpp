#include "launcher/agent/ranks/native_frame.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::ranks {
namespace {

TEST(NativeFrame, IsKnownInTheFormsOfEachLibrary) {
  for (
      const std::string line :
      {"frame #4: c10d::ProcessGroupNCCL::ncclCommWatchdog() + 0x10c (0x7fc9 in libtorch_cuda.so)",
       "[rank3]: frame #10: <unknown function> + 0x94ac3 (0x7fc967c32ac3 in /lib/x86_64-linux-gnu/libc.so.6)",
       " frame #0: c10::FatalSignalHandler::stacktraceSignalHandler(bool) + 0x8b (0x7f5a in libc10.so)",
       "Exception raised from ncclCommWatchdog at ../torch/x.cpp:1418 (most recent call first):",
       "C++ CapturedTraceback:", "#5 c10::Error::Error(c10::SourceLocation, std::string) from ??:0",
       "    @     0x7fc966f2a718  (unknown)", " 0 0x0000000000042520 __sigaction()  ???:0",
       "#1  0x00007fc966f2a718 in raise () from /lib64/libc.so.6"}) {
    EXPECT_TRUE(is_native_frame(line)) << line;
  }
}

TEST(NativeFrame, IsNoLineThatSaysSomething) {
  for (const std::string line :
       {"", "#", "@", "frame #", "frame #4", "frame #x: y", "0", "12", "0x7fc9",
        "#3 comes from here", "# from 3:4", "step 118",
        "  what():  [PG 0 Rank 2] Process group watchdog thread terminated",
        "Exception raised from a callback: boom", "  File \"train.py\", line 12 in step",
        "10 0 of 0x20 words", "@user 0x20", "Traceback (most recent call last):"}) {
    EXPECT_FALSE(is_native_frame(line)) << line;
  }
}

}  // namespace
}  // namespace muster::ranks
