#include "launcher/agent/port/held_port.hpp"

#include "core/rendezvous/port_candidates.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/loopback_server.hpp"
#include "fixtures/open_descriptors.hpp"
#include "launcher/os/bound_socket.hpp"

#include <csignal>
#include <cstddef>
#include <cstring>
#include <utility>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::port {
namespace {

using fixtures::client;
using fixtures::free_port;
using fixtures::server;

rendezvous::PortCandidates candidates(std::vector<rendezvous::Port> ports) {
  return {std::move(ports), Origin::option, "port="};
}

TEST(HeldPort, IsHeldByOneOnly) {
  const auto port = fixtures::free_port();
  const auto first = HeldPort::hold(port);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->port(), port);
  EXPECT_FALSE(HeldPort::hold(port));
}

TEST(HeldPort, NeedsNoNameThatAnotherUserCouldHold) {
  const auto port = fixtures::free_port();
  const os::Descriptor name(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto text = "muster/port/" + std::to_string(port);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, text.data(), text.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  ASSERT_EQ(bind(name.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_TRUE(HeldPort::hold(port));
}

TEST(HeldPort, IsRefusedWhereAnotherProcessHasBoundItWithoutListening) {
  for (const bool reuse : {false, true}) {
    const auto port = fixtures::free_port();
    const auto other = os::bind_any_address(port, {.v6 = true, .reuse_address = reuse});
    ASSERT_TRUE(other);
    EXPECT_FALSE(HeldPort::hold(port)) << reuse;
  }
}

// For example those that the previous step's server has left.
void expect_free_where_only_ended_connections_are_left(Admits admits) {
  const bool reuse_port = admits == Admits::own_user;
  const auto port = fixtures::free_port();
  {
    const auto server = fixtures::server(port, true, "0.0.0.0", reuse_port);
    const auto client = fixtures::client(port);
    // The end that closes first keeps the connection in TIME_WAIT.
    const os::Descriptor accepted(accept(server.get(), nullptr, nullptr));
    ASSERT_TRUE(accepted);
    shutdown(accepted.get(), SHUT_RDWR);
  }
  ASSERT_FALSE(fixtures::server(port, false)) << "no connection is left";
  const auto held = HeldPort::hold(port, admits);
  ASSERT_TRUE(held);
  EXPECT_FALSE(HeldPort::hold(port, admits));
  EXPECT_TRUE(fixtures::server(port, true, "0.0.0.0", reuse_port));
}

TEST(HeldPort, IsFreeWhereOnlyEndedConnectionsAreLeft) {
  expect_free_where_only_ended_connections_are_left(Admits::every_user);
  expect_free_where_only_ended_connections_are_left(Admits::own_user);
}

TEST(HeldPort, MayBeAnyFreePort) {
  const auto first = HeldPort::hold_free();
  const auto second = HeldPort::hold_free();
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->port(), second->port());
  EXPECT_FALSE(HeldPort::hold(first->port()));
  EXPECT_TRUE(fixtures::server(first->port(), true));
}

// Of each pair only one can listen, on whichever addresses; the step's own server may listen on all.
TEST(HeldPort, LetsOneServerListenOnWhateverAddress) {
  for (const auto* const own : {"0.0.0.0", "127.0.0.1"}) {
    const auto held = HeldPort::hold(fixtures::free_port());
    ASSERT_TRUE(held);
    const auto store = fixtures::server(held->port(), true, own);
    EXPECT_TRUE(store) << own;
    EXPECT_FALSE(fixtures::server(held->port(), true, "0.0.0.0")) << own;
    EXPECT_FALSE(fixtures::server(held->port(), true, "127.0.0.1")) << own;
    EXPECT_FALSE(held->listen()) << own;
  }
}

TEST(HeldPort, IsFreeAgainWhenItsHolderIsGone) {
  const auto port = fixtures::free_port();
  { const auto held = HeldPort::hold(port); }
  EXPECT_TRUE(HeldPort::hold(port));
}

TEST(HeldPort, IsHeldByTheProgramThatItsProcessBecomes) {
  const auto port = fixtures::free_port();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto held = HeldPort::hold(port);
    if (held) held->keep_through_exec();
    dup2(ready[1], STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", "echo up; exec sleep 60", nullptr);
    _exit(1);
  }
  char up = 0;
  EXPECT_EQ(read(ready[0], &up, 1), 1);
  EXPECT_FALSE(HeldPort::hold(port));
  EXPECT_FALSE(fixtures::server(port, false));
  EXPECT_TRUE(fixtures::server(port, true));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(HeldPort::hold(port));
  for (const int end : ready) close(end);
}

TEST(HeldPort, LetsAServerThatReusesAddressesListen) {
  const auto held = HeldPort::hold(fixtures::free_port());
  ASSERT_TRUE(held);
  const auto store = fixtures::server(held->port(), true);
  EXPECT_TRUE(store);
  EXPECT_TRUE(fixtures::client(held->port()));
}

bool another_user_listens(rendezvous::Port port) {
  constexpr uid_t nobody = 65534;
  const pid_t child = fork();
  if (child == 0) {
    if (setresuid(nobody, nobody, nobody) != 0) _exit(2);
    for (const auto* const address : {"0.0.0.0", "127.0.0.1"}) {
      for (const bool reuse_address : {false, true}) {
        for (const bool reuse_port : {false, true}) {
          if (fixtures::server(port, reuse_address, address, reuse_port)) _exit(1);
        }
      }
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 2);
  return status != 0;
}

class HeldPortOfOneUser : public testing::Test {
 protected:
  void SetUp() override {
    if (getuid() != 0) GTEST_SKIP() << "only root can act as two users";
    held_ = HeldPort::hold(fixtures::free_port(), Admits::own_user);
    ASSERT_TRUE(held_);
  }

  std::optional<HeldPort> held_;
};

TEST_F(HeldPortOfOneUser, AdmitsNoServerOfAnotherBeforeItsOwnOneListens) {
  EXPECT_TRUE(another_user_listens(fixtures::free_port()));
  EXPECT_TRUE(another_user_listens(HeldPort::hold_free()->port()));
  EXPECT_FALSE(another_user_listens(held_->port()));
  EXPECT_FALSE(another_user_listens(HeldPort::hold_free(Admits::own_user)->port()));
}

TEST_F(HeldPortOfOneUser, AdmitsItsOwnServerAndNoOtherBesideIt) {
  for (const auto* const own : {"0.0.0.0", "127.0.0.1"}) {
    const auto server = fixtures::server(held_->port(), true, own, true);
    EXPECT_TRUE(server) << own;
    EXPECT_TRUE(fixtures::client(held_->port())) << own;
    EXPECT_FALSE(another_user_listens(held_->port())) << own;
    EXPECT_FALSE(fixtures::server(held_->port(), true)) << own;
  }
}

TEST(HeldPort, KeepsOutWhoHadBoundOneAddressBefore) {
  const auto port = fixtures::free_port();
  const os::Descriptor early(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  os::allow_reuse(early);
  const auto name = fixtures::loopback(port);
  ASSERT_EQ(bind(early.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  const auto held = HeldPort::hold(port, Admits::own_user);
  ASSERT_TRUE(held);
  EXPECT_NE(::listen(early.get(), 16), 0);
  EXPECT_TRUE(fixtures::server(port, true, "0.0.0.0", true));
}

TEST_F(HeldPortOfOneUser, IsHeldByOneOnly) {
  for (const auto admits : {Admits::every_user, Admits::own_user}) {
    EXPECT_FALSE(HeldPort::hold(held_->port(), admits));
  }
}

TEST(HeldPort, KeepsEveryOtherServerOut) {
  const auto held = HeldPort::hold(fixtures::free_port());
  ASSERT_TRUE(held);
  EXPECT_FALSE(fixtures::server(held->port(), false));
}

TEST(HeldPort, DoesNotListenItself) {
  const auto held = HeldPort::hold(fixtures::free_port());
  ASSERT_TRUE(held);
  EXPECT_FALSE(fixtures::client(held->port()));
}

TEST(HeldPort, ListensWhenAskedAndCanBeServedAfterwards) {
  const auto held = HeldPort::hold(fixtures::free_port());
  ASSERT_TRUE(held);
  {
    const auto listener = held->listen();
    ASSERT_TRUE(listener);
    EXPECT_TRUE(fixtures::client(held->port()));
  }
  EXPECT_FALSE(fixtures::client(held->port()));
  EXPECT_TRUE(fixtures::server(held->port(), true));
}

TEST(HeldPort, IsRefusedWhereAForeignServerListens) {
  for (const bool reuse : {false, true}) {
    for (const auto* const address : {"0.0.0.0", "127.0.0.1"}) {
      const auto port = fixtures::free_port();
      const auto foreign = fixtures::server(port, reuse, address);
      ASSERT_TRUE(foreign);
      EXPECT_FALSE(HeldPort::hold(port)) << reuse << ' ' << address;
    }
  }
}

TEST(HeldPort, CannotListenOnceARankServes) {
  const auto held = HeldPort::hold(fixtures::free_port());
  ASSERT_TRUE(held);
  const auto store = fixtures::server(held->port(), true);
  EXPECT_FALSE(held->listen());
}

TEST(HoldFirst, TakesTheFirstThatIsFree) {
  const auto taken = fixtures::free_port();
  const auto foreign = fixtures::server(taken, true);
  const auto open = fixtures::free_port();
  EXPECT_EQ(hold_first(candidates({taken, open}), "node1").port(), open);
}

TEST(HoldFirst, SaysWhoHasThePortAndWhatToDo) {
  const auto taken = fixtures::free_port();
  const auto foreign = fixtures::server(taken, true);
  const auto text = fixtures::error_of([&] { hold_first(candidates({taken}), "node1"); });
  EXPECT_TRUE(text.starts_with("port " + std::to_string(taken) + " (port=) on node1 is taken by "))
      << text;
  EXPECT_NE(text.find("pid " + std::to_string(getpid())), std::string::npos) << text;
  EXPECT_NE(text.find("set port=A-B, or MpiParams=ports="), std::string::npos) << text;
}

TEST(Descriptor, ClosesWhatItHoldsOnce) {
  const auto before = fixtures::open_descriptors();
  {
    os::Descriptor one(dup(0));
    os::Descriptor two(std::move(one));
    os::Descriptor three(dup(0));
    three = std::move(two);
    EXPECT_EQ(fixtures::open_descriptors(), before + 1);
    EXPECT_TRUE(three);
    close(three.release());
    EXPECT_FALSE(three);
  }
  EXPECT_EQ(fixtures::open_descriptors(), before);
}

}  // namespace
}  // namespace muster::port
