#include "launcher/agent/port/listeners.hpp"

#include "fixtures/loopback_server.hpp"
#include "fixtures/scratch_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::port {
namespace {

std::optional<Listener> at(const std::vector<Listener>& all, rendezvous::Port port) {
  const auto found = std::ranges::find(all, port, &Listener::port);
  return found == all.end() ? std::nullopt : std::optional(*found);
}

std::string row(const std::string& local, const std::string& state, uid_t user) {
  return "   0: " + local + " 00000000:0000 " + state + " 00000000:00000000 00:00000000 00000000 " +
         std::to_string(user) + " 0 4711 1 0000000000000000 100 0 0 10 0\n";
}

TEST(Listeners, AreThoseOfTheKernelWithTheirUser) {
  const auto everywhere = fixtures::free_port();
  const auto server = fixtures::server(everywhere, true);
  const auto here = fixtures::free_port();
  const auto local = fixtures::server(here, true, "127.0.0.1");
  for (const auto& all : {listeners(), listeners_in_tables()}) {
    ASSERT_TRUE(at(all, everywhere) && at(all, here));
    EXPECT_EQ(at(all, everywhere)->user, geteuid());
    EXPECT_TRUE(at(all, everywhere)->everywhere);
    EXPECT_FALSE(at(all, here)->everywhere);
  }
}

TEST(Listeners, DoNotIncludeAPortThatIsOnlyHeld) {
  const auto held = HeldPort::hold(fixtures::free_port());
  ASSERT_TRUE(held);
  EXPECT_FALSE(at(listeners(), held->port()));
}

TEST(Listeners, AreReadFromBothTables) {
  const fixtures::ScratchDirectory scratch;
  std::filesystem::create_directories(scratch.path("net"));
  scratch.write("net/tcp", "head\n" + row("00000000:7348", "0A", 1) +
                               row("0100007F:7349", "0A", 2) + row("00000000:734A", "01", 3));
  scratch.write("net/tcp6", "head\n" + row("00000000000000000000000000000000:734B", "0A", 4));
  const auto all = listeners_in_tables(scratch.path());
  ASSERT_EQ(all.size(), 3U);
  EXPECT_TRUE(at(all, 29512)->everywhere);
  EXPECT_FALSE(at(all, 29513)->everywhere);
  EXPECT_EQ(at(all, 29515)->user, 4U);
}

TEST(Listeners, AreNoneInTablesThatMakeNoSense) {
  const fixtures::ScratchDirectory scratch;
  EXPECT_TRUE(listeners_in_tables(scratch.path()).empty());
  std::filesystem::create_directories(scratch.path("net"));
  scratch.write("net/tcp", "head\nnonsense\n");
  scratch.write("net/tcp6", "head\n" + row("7348", "0A", 4) + row(":", "0A", 4));
  EXPECT_TRUE(listeners_in_tables(scratch.path()).empty());
}

}  // namespace
}  // namespace muster::port
