// The NCCL part of the C ABI as a program uses it, in a process that is alone, with doubles of libnccl and
// libcuda.
#include "muster/muster.hpp"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

class AbiNccl : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    // Because of their sonames, libmuster finds them "already in the process".
    driver = ::dlopen(MUSTER_TEST_CUDA_DOUBLE, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(driver, nullptr) << ::dlerror();
    library = ::dlopen(MUSTER_TEST_NCCL_DOUBLE, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    // libmuster looks once, when this process joins its first step.
    for (const auto* const name : {"RANK", "SLURM_STEP_ID"}) ::unsetenv(name);
    times = testing::TempDir() + "muster-" + std::to_string(::getpid()) + "/rank-0.times";
    std::filesystem::create_directory(std::filesystem::path(times).parent_path());
    ::setenv("MUSTER_TIMES", ("0:" + times).c_str(), 1);
  }
  static void TearDownTestSuite() {
    std::filesystem::remove_all(std::filesystem::path(times).parent_path());
  }
  void SetUp() override {
    muster_options options = MUSTER_OPTIONS;
    options.transport = MUSTER_TRANSPORT_SINGLE;
    ASSERT_EQ(muster_init(&step, &options), MUSTER_OK) << muster_last_error();
    counter("double_state_of_init") = 0;
  }
  void TearDown() override {
    EXPECT_EQ(muster_finalize(&step, MUSTER_DEFAULT), MUSTER_OK);
    EXPECT_EQ(counter("double_alive"), 0) << "a communicator was left behind";
  }

  static int& counter(const char* name) { return *static_cast<int*>(::dlsym(library, name)); }

  static int& current_gpu() { return *static_cast<int*>(::dlsym(driver, "double_current_gpu")); }

  int init(const muster_nccl_options* options = nullptr) {
    comm = this;
    return muster_nccl_init(step, options, &comm);
  }
  // init's answer to options that differ in one thing from the standard ones.
  template <class Change>
  std::string refusal(Change&& change) {
    muster_nccl_options options = MUSTER_NCCL_OPTIONS;
    change(options);
    EXPECT_EQ(init(&options), MUSTER_ERR_ARGUMENT);
    EXPECT_EQ(comm, nullptr);
    return muster_last_error();
  }

  static void* library;
  static void* driver;
  static std::string times;  // the file
  muster_t* step = nullptr;
  void* comm = nullptr;
};

void* AbiNccl::library = nullptr;
void* AbiNccl::driver = nullptr;
std::string AbiNccl::times;

// This test comes first: the file has no room for all later ones.
TEST_F(AbiNccl, KeepsHowLongTheCommunicatorTookAsSoonAsItIsReady) {
  ASSERT_EQ(init(), MUSTER_OK) << muster_last_error();
  std::ifstream file(times);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::smatch found;
  const std::regex form(
      "muster times 1\nphase \\d+ \\d+ own ok join\ntransport single\nnode .*\n"
      "phase \\d+ \\d+ own ok GPU and NCCL id\nphase \\d+ \\d+ all ok NCCL ids\n"
      "phase \\d+ \\d+ all ok NCCL communicator\n");
  EXPECT_TRUE(std::regex_match(text, found, form)) << text;
  EXPECT_EQ(muster_nccl_destroy(step, &comm, MUSTER_DEFAULT), MUSTER_OK);
}

TEST_F(AbiNccl, TakesTheNcclThatTheProcessHas) {
  int version = 0;
  ASSERT_EQ(muster_nccl_version(&version), MUSTER_OK) << muster_last_error();
  EXPECT_EQ(version, 22809);
  EXPECT_EQ(muster_nccl_version(nullptr), MUSTER_ERR_ARGUMENT);
}

TEST_F(AbiNccl, GivesAnIdForEachRootAndNoMoreThanThereIsRoomFor) {
  unsigned char ids[MUSTER_NCCL_ID_BYTES] = {};
  std::size_t count = 99;
  EXPECT_EQ(muster_nccl_ids(step, nullptr, ids, 0, &count), MUSTER_ERR_ARGUMENT);
  EXPECT_STREQ(muster_last_error(), "the array has room for 0 NCCL ids, but the step needs 1");
  EXPECT_EQ(muster_nccl_ids(step, nullptr, nullptr, 1, &count), MUSTER_ERR_ARGUMENT);
  EXPECT_EQ(muster_nccl_ids(step, nullptr, ids, 1, nullptr), MUSTER_ERR_ARGUMENT);
  ASSERT_EQ(muster_nccl_ids(step, nullptr, ids, 1, &count), MUSTER_OK) << muster_last_error();
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(ids[127], 0x5a);
}

TEST_F(AbiNccl, MakesAndEndsACommunicatorAndKeepsItsGpuCurrent) {
  current_gpu() = -1;
  ASSERT_EQ(init(), MUSTER_OK) << muster_last_error();
  EXPECT_NE(comm, nullptr);
  EXPECT_EQ(current_gpu(), 0);
  EXPECT_EQ(counter("double_last_roots"), 1);
  EXPECT_EQ(muster_nccl_wait(step, comm, 1000), MUSTER_OK) << muster_last_error();
  EXPECT_EQ(muster_nccl_destroy(step, &comm, 1000), MUSTER_OK) << muster_last_error();
  EXPECT_EQ(comm, nullptr);
  EXPECT_EQ(muster_nccl_destroy(step, &comm, 1000), MUSTER_OK) << "of none";
}

TEST_F(AbiNccl, SplitsByNodeByColourAndIntoNone) {
  ASSERT_EQ(init(), MUSTER_OK) << muster_last_error();
  void* child = nullptr;
  ASSERT_EQ(muster_nccl_split(step, comm, MUSTER_SPLIT_NODE, 0, nullptr, &child), MUSTER_OK);
  EXPECT_EQ(counter("double_last_colour"), 0);
  EXPECT_EQ(counter("double_had_config"), 0) << "the parent's";
  EXPECT_EQ(muster_nccl_destroy(step, &child, 1000), MUSTER_OK);

  muster_nccl_options options = MUSTER_NCCL_OPTIONS;
  options.max_ctas = 4;
  ASSERT_EQ(muster_nccl_split(step, comm, 7, 0, &options, &child), MUSTER_OK);
  EXPECT_EQ(counter("double_last_colour"), 7);
  EXPECT_EQ(counter("double_had_config"), 1);
  EXPECT_EQ(muster_nccl_abort(step, &child), MUSTER_OK);
  EXPECT_EQ(child, nullptr);

  child = this;
  ASSERT_EQ(muster_nccl_split(step, comm, MUSTER_SPLIT_NONE, 0, nullptr, &child), MUSTER_OK);
  EXPECT_EQ(child, nullptr);
  EXPECT_EQ(muster_nccl_split(step, comm, -3, 0, nullptr, &child), MUSTER_ERR_ARGUMENT);
  EXPECT_EQ(muster_nccl_split(step, nullptr, 0, 0, nullptr, &child), MUSTER_ERR_ARGUMENT);
  EXPECT_EQ(muster_nccl_destroy(step, &comm, 1000), MUSTER_OK);
}

TEST_F(AbiNccl, RefusesOptionsThatMeanNothing) {
  EXPECT_EQ(refusal([](auto& options) { options.roots = 2; }),
            "muster_nccl_options.roots is 2: use 1 to 1, or MUSTER_DEFAULT");
  EXPECT_NE(refusal([](auto& options) { options.roots = 0; }), "");
  EXPECT_NE(refusal([](auto& options) { options.ranks_per_root = 0; }), "");
  EXPECT_NE(refusal([](auto& options) { options.device = -2; }), "");
  EXPECT_NE(refusal([](auto& options) { options.cuda_version = -1; }), "");
  EXPECT_EQ(refusal([](auto& options) { options.flags = 4; }),
            "muster_nccl_options.flags has undefined bits");
  EXPECT_EQ(refusal([](auto& options) { options.flags = MUSTER_NCCL_IDS_ONLY; }),
            "MUSTER_NCCL_IDS_ONLY is only for muster_nccl_ids()");
  EXPECT_NE(refusal([](auto& options) { options.size = 0; }), "");
  EXPECT_NE(refusal([](auto& options) { options.timeout_ms = 0; }), "");
  ASSERT_EQ(init(), MUSTER_OK) << "nothing had happened: " << muster_last_error();
  EXPECT_EQ(muster_nccl_destroy(step, &comm, 1000), MUSTER_OK);
}

TEST_F(AbiNccl, RefusesAGpuThatIsNotThere) {
  muster_nccl_options options = MUSTER_NCCL_OPTIONS;
  options.device = 3;
  EXPECT_EQ(init(&options), MUSTER_ERR_GPU);
  EXPECT_NE(std::string{muster_last_error()}.find("rank 0 would use GPU 3, but sees only 1"),
            std::string::npos)
      << muster_last_error();
}

TEST_F(AbiNccl, RefusesADriverThatIsTooOldForTheProgram) {
  muster_nccl_options options = MUSTER_NCCL_OPTIONS;
  options.cuda_version = 13000;
  EXPECT_EQ(init(&options), MUSTER_ERR_GPU);
  EXPECT_NE(std::string{muster_last_error()}.find("rank 0 needs CUDA 13.0, but the driver is for "
                                                  "CUDA 12.8: install driver 580 or newer"),
            std::string::npos)
      << muster_last_error();
}

TEST_F(AbiNccl, AbortsWhatIsNotReadyByTheDeadlineAndIsOverThen) {
  counter("double_state_of_init") = 7;
  current_gpu() = -1;
  muster_nccl_options options = MUSTER_NCCL_OPTIONS;
  options.timeout_ms = 100;
  EXPECT_EQ(init(&options), MUSTER_ERR_TIMEOUT);
  EXPECT_EQ(comm, nullptr);
  EXPECT_EQ(counter("double_alive"), 0);
  EXPECT_EQ(current_gpu(), -1) << "the thread has no GPU, as before";
  EXPECT_EQ(init(), MUSTER_ERR_STATE);
}

TEST_F(AbiNccl, AWaitThatFailsHasAbortedTheCommunicator) {
  ASSERT_EQ(init(), MUSTER_OK) << muster_last_error();
  *static_cast<int*>(comm) = 6;  // its state: a remote error
  EXPECT_EQ(muster_nccl_wait(step, comm, 1000), MUSTER_ERR_NCCL);
  EXPECT_EQ(counter("double_alive"), 0);
}

TEST_F(AbiNccl, NeedsAHandle) {
  void* none = nullptr;
  std::size_t count = 0;
  EXPECT_EQ(muster_nccl_init(nullptr, nullptr, &none), MUSTER_ERR_ARGUMENT);
  EXPECT_EQ(muster_nccl_ids(nullptr, nullptr, &none, 1, &count), MUSTER_ERR_ARGUMENT);
  EXPECT_EQ(muster_nccl_split(nullptr, this, 0, 0, nullptr, &none), MUSTER_ERR_ARGUMENT);
  EXPECT_EQ(muster_nccl_wait(nullptr, this, 1), MUSTER_ERR_ARGUMENT);
  EXPECT_EQ(muster_nccl_init(step, nullptr, nullptr), MUSTER_ERR_ARGUMENT);
  EXPECT_EQ(muster_nccl_wait(step, nullptr, 1000), MUSTER_ERR_ARGUMENT);
}

// The same in C++.
class HppNccl : public AbiNccl {
 protected:
  void SetUp() override { counter("double_state_of_init") = counter("double_aborted") = 0; }
  void TearDown() override { EXPECT_EQ(counter("double_alive"), 0); }

  muster::Options alone{.timeout = {}, .transport = MUSTER_TRANSPORT_SINGLE, .numbering = {}};
};

TEST_F(HppNccl, ACommunicatorEndsInOrderWithItsScope) {
  muster::Step one{alone};
  {
    const muster::nccl::Communicator world{one};
    const auto node = world.split(MUSTER_SPLIT_NODE);
    EXPECT_EQ(counter("double_alive"), 2);
  }
  EXPECT_EQ(counter("double_alive"), 0);
  EXPECT_EQ(counter("double_aborted"), 0);
}

TEST_F(HppNccl, ACommunicatorIsAbortedByAnException) {
  muster::Step one{alone};
  try {
    const muster::nccl::Communicator world{one};
    throw std::runtime_error{"a peer is gone"};
  } catch (const std::runtime_error&) {
    EXPECT_EQ(counter("double_aborted"), 1);
  }
}

TEST_F(HppNccl, AWaitThatFailsLeavesNothingToEnd) {
  muster::Step one{alone};
  muster::nccl::Communicator world{one};
  *world.get<int*>() = 6;
  EXPECT_THROW(world.wait(), muster::Error);
  EXPECT_EQ(world.get(), nullptr);
  EXPECT_EQ(counter("double_aborted"), 1);
}

TEST_F(HppNccl, IdsAreAsManyAsRoots) {
  muster::Step one{alone};
  EXPECT_EQ(muster::nccl::ids(one).size(), 1u);
}

}  // namespace
