#include "worker/nccl/api.hpp"

#include "worker/error.hpp"
#include "worker/nccl/loaded_library.hpp"

#include <cstdlib>

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace muster::worker::nccl {
namespace {

// Paths of library_double.c, built as files of two versions.
const std::string old_library = MUSTER_TEST_NCCL_OLD;
const std::string good_library = MUSTER_TEST_NCCL_GOOD;

Environment with_library(const std::string& path) {
  return Environment{{{"MUSTER_NCCL_LIBRARY", path}}};
}

std::string refusal(const std::string& path) {
  try {
    open_nccl(with_library(path));
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), MUSTER_ERR_LIBRARY);
    return error.what();
  }
  return {};
}

TEST(NcclApi, WritesVersionsAsPeopleDo) {
  EXPECT_EQ(version_text(22809), "2.28.9");
  EXPECT_EQ(version_text(21801), "2.18.1");
  EXPECT_EQ(version_text(2708), "2.7.8");
}

TEST(NcclApi, NamesALibraryThatIsMissing) {
  EXPECT_EQ(refusal("/nowhere/libnccl.so.2"),
            "NCCL (MUSTER_NCCL_LIBRARY=/nowhere/libnccl.so.2): /nowhere/libnccl.so.2: cannot open "
            "shared object file: No such file or directory; install NCCL 2.18 or newer (with pip: "
            "nvidia-nccl-cu12), load its module, or set MUSTER_NCCL_LIBRARY to the path of a "
            "libnccl.so.2");
}

TEST(NcclApi, NamesATextFile) {
  EXPECT_NE(refusal("/etc/passwd").find("/etc/passwd: invalid ELF header"), std::string::npos);
}

TEST(NcclApi, NamesALibraryThatIsNoNccl) {
  const auto text = refusal("libdl.so.2");
  EXPECT_NE(text.find("has no ncclGetVersion, so it is either not NCCL or too old; "),
            std::string::npos)
      << text;
}

TEST(NcclApi, NamesALibraryThatIsTooOldAndItsVersion) {
  const auto text = refusal(old_library);
  EXPECT_EQ(text.find("NCCL: " + old_library + " is version 2.17.1, too old; install NCCL 2.18"),
            0u)
      << text;
}

TEST(NcclApi, OpensTheLibraryThatIsNamedWithoutScalableInitBefore223) {
  const auto api = open_nccl(with_library(good_library));
  EXPECT_EQ(api.version, 21801);
  EXPECT_EQ(api.path, good_library);
  EXPECT_NE(api.split, nullptr);
  EXPECT_EQ(api.init_rank_scalable, nullptr);
}

// In a separate process, because a loaded library stays loaded.
TEST(NcclApiDeathTest, TakesTheLibraryThatTheProcessHasAlready) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const bool loaded = ::dlopen(MUSTER_TEST_NCCL_LOADED, RTLD_NOW | RTLD_LOCAL) != nullptr;
        const auto api = open_nccl(with_library("/nowhere/libnccl.so.2"));
        std::_Exit(loaded && api.version == 22809 && api.path == MUSTER_TEST_NCCL_LOADED ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(LoadedObject, IsFoundByTheBeginningOfItsFileName) {
  EXPECT_TRUE(loaded_object("libc.so"));
  EXPECT_FALSE(loaded_object("libnothing.so"));
}

}  // namespace
}  // namespace muster::worker::nccl
