// What this kernel counts for a connection that the test makes itself.
#include "launcher/agent/tcp_connections.hpp"

#include "fixtures/loopback_server.hpp"
#include "launcher/agent/links.hpp"
#include "launcher/os/descriptor.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::agent {
namespace {

using namespace std::chrono_literals;

std::uint64_t inode_of(const os::Descriptor& socket) {
  struct stat status {};
  EXPECT_EQ(fstat(socket.get(), &status), 0);
  return status.st_ino;
}

// A connection on this machine, by IPv4 or IPv6.
struct Pair {
  explicit Pair(int family)
      : server(socket(family, SOCK_STREAM, 0)), from(socket(family, SOCK_STREAM, 0)) {
    sockaddr_storage address{};
    address.ss_family = static_cast<sa_family_t>(family);
    if (family == AF_INET6) reinterpret_cast<sockaddr_in6&>(address).sin6_addr = in6addr_loopback;
    if (family == AF_INET)
      reinterpret_cast<sockaddr_in&>(address).sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const at = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    works = bind(server.get(), at, size) == 0 && listen(server.get(), 1) == 0 &&
            getsockname(server.get(), at, &size) == 0 && connect(from.get(), at, size) == 0;
    if (works) to = os::Descriptor(accept(server.get(), nullptr, nullptr));
  }

  os::Descriptor server;
  os::Descriptor from;
  os::Descriptor to{-1};
  bool works = false;
};

std::optional<slow::Connection> counters_of(const os::Descriptor& socket) {
  const auto all = tcp_connections();
  if (!all) return std::nullopt;
  for (const auto& each : *all) {
    if (each.counters.inode == inode_of(socket) && each.user == geteuid()) return each.counters;
  }
  return std::nullopt;
}

TEST(TcpConnections, AreCountedByTheKernel) {
  for (const int family : {AF_INET, AF_INET6}) {
    const Pair pair(family);
    if (!pair.works && family == AF_INET6) continue;  // this machine may have no IPv6
    ASSERT_TRUE(pair.works);
    const auto before = counters_of(pair.from);
    ASSERT_TRUE(before);
    EXPECT_TRUE(before->from.is_loopback() && before->to.is_loopback());
    const std::string data(300'000, 'x');
    std::string taken(data.size(), ' ');
    std::thread reader([&] {
      for (std::size_t at = 0; at < taken.size();)
        at += static_cast<std::size_t>(
            std::max<ssize_t>(recv(pair.to.get(), taken.data() + at, taken.size() - at, 0), 0));
    });
    ASSERT_EQ(send(pair.from.get(), data.data(), data.size(), 0),
              static_cast<ssize_t>(data.size()));
    reader.join();
    auto after = counters_of(pair.from);
    for (const auto end = std::chrono::steady_clock::now() + 10s;
         after && after->waiting > 0 && std::chrono::steady_clock::now() < end;
         after = counters_of(pair.from))
      std::this_thread::sleep_for(5ms);
    ASSERT_TRUE(after);
    EXPECT_EQ(after->id, before->id);
    EXPECT_EQ(after->bytes - before->bytes, data.size());
    EXPECT_GT(after->segments, before->segments);
    EXPECT_LT(after->repeated, after->segments);
    EXPECT_LT(after->busy, 60s);
    EXPECT_LE(after->receiver_full, after->busy);
    EXPECT_EQ(counters_of(pair.to)->id == after->id, false);
  }
}

TEST(TcpConnections, ShowWhatWaitsForAReceiverThatHasNoRoom) {
  const Pair pair(AF_INET);
  ASSERT_TRUE(pair.works);
  const std::string data(1U << 20, 'x');
  while (send(pair.from.get(), data.data(), data.size(), MSG_DONTWAIT) > 0) {
  }
  std::this_thread::sleep_for(300ms);
  const auto found = counters_of(pair.from);
  ASSERT_TRUE(found);
  EXPECT_GE(found->waiting, 64U << 10);
  EXPECT_GE(found->busy, 200ms);
  EXPECT_GE(found->receiver_full, found->busy / 2);
}

TEST(TcpConnections, OfAProcessAreThoseThatItHasOpen) {
  const Pair pair(AF_INET);
  const auto own = sockets_of("/proc", getpid());
  for (const auto* const socket : {&pair.server, &pair.from, &pair.to})
    EXPECT_TRUE(own.contains(inode_of(*socket)));
  EXPECT_TRUE(sockets_of("/proc", -1).empty());
  EXPECT_TRUE(sockets_of("/nowhere", getpid()).empty());
}

std::string message(std::uint16_t type, std::size_t attribute, std::uint16_t attribute_length) {
  nlmsghdr head{};
  head.nlmsg_type = type;
  inet_diag_msg body{};
  body.idiag_family = AF_INET;
  const nlattr info{.nla_len = attribute_length, .nla_type = INET_DIAG_INFO};
  std::string text(sizeof head + sizeof body + sizeof info + attribute, '\0');
  head.nlmsg_len = static_cast<std::uint32_t>(text.size());
  std::memcpy(text.data(), &head, sizeof head);
  std::memcpy(text.data() + sizeof head, &body, sizeof body);
  std::memcpy(text.data() + sizeof head + sizeof body, &info, sizeof info);
  return text;
}

TEST(TcpConnections, AreReadWithinTheMessage) {
  const auto read = [](const std::string& text) {
    std::vector<TcpConnection> all;
    const auto reading = take_connections(text, all);
    return std::pair(reading, all.size());
  };
  EXPECT_EQ(read(message(SOCK_DIAG_BY_FAMILY, 240, 244)), std::pair(Reading::more, std::size_t{1}));
  // A kernel of before 4.10 counts less.
  EXPECT_EQ(read(message(SOCK_DIAG_BY_FAMILY, 160, 164)), std::pair(Reading::more, std::size_t{0}));
  EXPECT_EQ(read(message(SOCK_DIAG_BY_FAMILY, 8, 60'000)),
            std::pair(Reading::more, std::size_t{0}));
  EXPECT_EQ(read(message(SOCK_DIAG_BY_FAMILY, 8, 0)), std::pair(Reading::more, std::size_t{0}));
  EXPECT_EQ(read(message(NLMSG_DONE, 0, 4)).first, Reading::complete);
  EXPECT_EQ(read(message(NLMSG_ERROR, 0, 4)).first, Reading::failed);
  const auto whole = message(SOCK_DIAG_BY_FAMILY, 240, 244);
  EXPECT_EQ(read(whole.substr(0, whole.size() - 1)).first, Reading::failed);
}

TEST(TcpConnections, AnyBytesAreReadWithinTheMessage) {
  std::mt19937 random(1);
  const auto two = message(SOCK_DIAG_BY_FAMILY, 240, 244) + message(SOCK_DIAG_BY_FAMILY, 240, 244);
  for (int i = 0; i < 20'000; ++i) {
    auto text = two.substr(0, random() % (two.size() + 1));
    for (std::size_t change = random() % 6; change > 0 && !text.empty(); --change)
      text[random() % std::min<std::size_t>(text.size(), i % 2 == 0 ? 96 : text.size())] =
          static_cast<char>(random());
    std::vector<TcpConnection> all;
    take_connections(std::string(text), all);
    EXPECT_LE(all.size(), 2U);
  }
}

}  // namespace
}  // namespace muster::agent
