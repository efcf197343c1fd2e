// Whether a node answers, tested with real sockets of this machine.
#include "launcher/slurm/answer.hpp"

#include "launcher/os/descriptor.hpp"

#include <chrono>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace muster::slurm {
namespace {

using std::chrono::milliseconds;
using Answers = std::vector<bool>;
constexpr milliseconds long_enough{20000};

// A port on this machine's loopback; it is only bound, so nothing answers there.
class Port {
 public:
  explicit Port(int backlog) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    if (backlog >= 0) {
      EXPECT_EQ(listen(socket_.get(), backlog), 0);
    }
    EXPECT_EQ(getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    number_ = ntohs(address.sin_port);
  }

  [[nodiscard]] Node node(const std::string& address = "127.0.0.1") const {
    Node node;
    node.address = address;
    node.port = number_;
    return node;
  }

 private:
  os::Descriptor socket_;
  std::uint16_t number_ = 0;
};

TEST(AnswerOfNodes, IsByPosition) {
  const Port listening(16);
  const Port bound(-1);
  const std::vector nodes{bound.node(), listening.node(), bound.node(), listening.node()};
  EXPECT_EQ(answer(nodes, long_enough), (Answers{false, true, false, true}));
}

TEST(AnswerOfNodes, IsNoForAnAddressThatIsNone) {
  const Port listening(16);
  const std::vector nodes{listening.node("not a name"), listening.node(), listening.node("")};
  const auto found = answer(nodes, long_enough);
  EXPECT_FALSE(found.at(0));
  EXPECT_TRUE(found.at(1));
}

TEST(AnswerOfNodes, IsNotWaitedForLongerThanItsTime) {
  // Its backlog is full: the kernel neither accepts nor refuses another connection.
  const Port full(0);
  const Port listening(16);
  const auto filling = answer(std::vector(8, full.node()), milliseconds{1000});
  EXPECT_TRUE(filling.front());
  EXPECT_FALSE(filling.back());
  const std::vector nodes{full.node(), listening.node()};
  EXPECT_EQ(answer(nodes, milliseconds{2000}), (Answers{false, true}));
}

TEST(AnswerOfNodes, ComesFromMoreNodesThanDescriptors) {
  const Port listening(1024);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{64, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto found = answer(std::vector(200, listening.node()), long_enough);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(found, Answers(200, true));
}

TEST(AnswerOfNodes, IsNothingOfNoNodes) {
  EXPECT_EQ(answer({}, long_enough), Answers{});
}

}  // namespace
}  // namespace muster::slurm
