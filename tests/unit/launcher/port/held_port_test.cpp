#include "launcher/port/held_port.hpp"

#include "core/rendezvous/ports.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/loopback_server.hpp"
#include "launcher/os/bound_socket.hpp"

#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
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

TEST(HeldPort, IsFreeWhereOnlyEndedConnectionsAreLeft) {
  const auto port = fixtures::free_port();
  {
    const auto server = fixtures::server(port, true);
    const auto client = fixtures::client(port);
    // Who closes first keeps the connection, in TIME_WAIT.
    const os::Descriptor accepted(accept(server.get(), nullptr, nullptr));
    ASSERT_TRUE(accepted);
    shutdown(accepted.get(), SHUT_RDWR);
  }
  ASSERT_FALSE(fixtures::server(port, false)) << "no connection is left";
  const auto held = HeldPort::hold(port);
  ASSERT_TRUE(held);
  EXPECT_FALSE(HeldPort::hold(port));
  EXPECT_TRUE(fixtures::server(port, true));
}

TEST(HeldPort, MayBeAnyFreePort) {
  const auto first = HeldPort::hold_free();
  const auto second = HeldPort::hold_free();
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->port(), second->port());
  EXPECT_FALSE(HeldPort::hold(first->port()));
  EXPECT_TRUE(fixtures::server(first->port(), true));
}

// Of each pair only one can listen, on whatever addresses; the step's own server may on all.
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
  const auto count = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  const auto before = count();
  {
    os::Descriptor one(dup(0));
    os::Descriptor two(std::move(one));
    os::Descriptor three(dup(0));
    three = std::move(two);
    EXPECT_EQ(count(), before + 1);
    EXPECT_TRUE(three);
    close(three.release());
    EXPECT_FALSE(three);
  }
  EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace muster::port
