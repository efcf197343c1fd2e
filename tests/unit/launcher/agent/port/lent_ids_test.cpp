#include "launcher/agent/port/lent_ids.hpp"

#include "launcher/os/descriptor.hpp"

#include <array>
#include <csignal>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::port {
namespace {

constexpr uid_t alice = 20001;
constexpr uid_t bob = 20002;

TEST(Subuid, LendsIdsToAUserByNameOrNumber) {
  constexpr auto* file =
      "# comment\n\nbob:100000:65536\n20001:300000:65536\nalice:20:1\n20002:20003:1\n"
      "alice:900000\nalice:x:1";
  const auto lends = [&](uid_t id) { return subuid_lends(file, "alice", alice, id); };
  for (const uid_t own : {20, 300'000, 365'535}) EXPECT_TRUE(lends(own)) << own;
  for (const uid_t other : {0, 21, 100'998, 299'999, 365'536, 20003, 900'000}) {
    EXPECT_FALSE(lends(other)) << other;
  }
  EXPECT_FALSE(subuid_lends("", "alice", alice, 0));
}

TEST(UidMap, ContainsTheIdsOfTheNode) {
  constexpr auto* map =
      "         0      20001          1\n         1     300000      65536\n     65537 4294967290  5\n";
  for (const uid_t own : {alice, uid_t{300'000}, uid_t{365'535}, uid_t{4294967294}}) {
    EXPECT_TRUE(map_contains(map, own)) << own;
  }
  for (const uid_t other : {bob, uid_t{0}, uid_t{1}, uid_t{299'999}, uid_t{365'536}}) {
    EXPECT_FALSE(map_contains(map, other)) << other;
  }
  EXPECT_FALSE(map_contains("", alice));
  EXPECT_FALSE(map_contains("0\n0 20001\n0 20001 -1\nx y z\n", alice));
}

// A process of alice in a user namespace that `creator` has made, and that maps ids of the node.
class Container {
 public:
  Container(uid_t creator, uid_t first_lent) : first_lent_(first_lent) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return;
    const os::Descriptor told(ends[0]);
    os::Descriptor tell(ends[1]);
    pid_ = fork();
    if (pid_ == 0) run(creator, tell.get());
    tell = os::Descriptor();
    is_made_ = hears(told.get()) && write_map() && hears(told.get());
  }
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;
  ~Container() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  [[nodiscard]] bool is_made() const { return is_made_; }

 private:
  [[noreturn]] static void run(uid_t creator, int tell) {
    const bool made = setresuid(creator, creator, creator) == 0 && unshare(CLONE_NEWUSER) == 0;
    if (!made || write(tell, "m", 1) != 1) _exit(1);
    while (setresuid(0, 0, 0) != 0) usleep(1000);  // until there is a map
    if (write(tell, "a", 1) != 1) _exit(1);
    for (;;) pause();
  }

  static bool hears(int told) {
    char word = 0;
    return read(told, &word, 1) == 1;
  }

  [[nodiscard]] bool write_map() const {
    std::ofstream map(fmt::format("/proc/{}/uid_map", pid_));
    map << fmt::format("0 20001 1\n1 {} 65536\n", first_lent_) << std::flush;
    return map.good();
  }

  uid_t first_lent_;
  pid_t pid_ = -1;
  bool is_made_ = false;
};

TEST(NamespacesLend, TheIdsOfAContainerToTheUserWhoMadeIt) {
  const Container container(alice, 300'000);
  if (!container.is_made()) GTEST_SKIP() << "needs root and user namespaces";
  EXPECT_TRUE(namespaces_lend(alice, 300'999));
  EXPECT_FALSE(namespaces_lend(alice, bob));
  EXPECT_FALSE(namespaces_lend(bob, 300'999));
}

TEST(NamespacesLend, NoIdsOfAContainerThatRootMade) {
  const Container container(0, 400'000);  // the other test may run at the same time
  if (!container.is_made()) GTEST_SKIP() << "needs root and user namespaces";
  EXPECT_FALSE(namespaces_lend(alice, 400'999));
}

}  // namespace
}  // namespace muster::port
