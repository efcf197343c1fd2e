#include "launcher/port/held_port.hpp"

#include "fixtures/expect_error.hpp"
#include "fixtures/loopback_server.hpp"

#include <csignal>
#include <filesystem>
#include <utility>

#include <gtest/gtest.h>
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
