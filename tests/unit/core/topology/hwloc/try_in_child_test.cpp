// Code that may crash is tried where a crash does no harm.
#include "core/topology/hwloc/try_in_child.hpp"

#include <csignal>
#include <stdexcept>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace muster::topology::hwloc {
namespace {

volatile std::sig_atomic_t* told = nullptr;  // shared with the children

TEST(Trial, TellsWhatComesBackFromWhatDoesNot) {
  EXPECT_TRUE(try_in_child([] {}));
  EXPECT_FALSE(try_in_child([] { std::raise(SIGSEGV); }));
  EXPECT_FALSE(try_in_child([] { throw std::runtime_error("no"); }));
}

// The agent reports its own crashes to slurmstepd.
TEST(Trial, DoesNotCallTheCallersCrashHandler) {
  void* const page = mmap(nullptr, sizeof(std::sig_atomic_t), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  told = static_cast<volatile std::sig_atomic_t*>(page);
  auto* const before = std::signal(SIGSEGV, [](int) {
    *told = 1;
    _exit(1);
  });
  EXPECT_FALSE(try_in_child([] { std::raise(SIGSEGV); }));
  std::signal(SIGSEGV, before);
  EXPECT_EQ(*told, 0);
  munmap(page, sizeof(std::sig_atomic_t));
}

}  // namespace
}  // namespace muster::topology::hwloc
