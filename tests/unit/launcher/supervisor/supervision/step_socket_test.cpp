#include "launcher/supervisor/supervision/step_socket.hpp"

#include "wire/variables.hpp"

#include <cstdlib>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

namespace muster::supervision {
namespace {

using namespace std::chrono_literals;

TEST(StepSocket, BringsTheStepsNodesAndTime) {
  StepSocket socket;
  EXPECT_EQ(socket.read(), std::nullopt);
  socket.hand_on();
  const char* const variable = std::getenv(wire::step_socket_variable);
  ASSERT_TRUE(variable);
  const int sruns = std::atoi(variable);
  EXPECT_EQ(fcntl(sruns, F_GETFD), 0);
  const std::string text = "17000000000 1|node[1-3]|0+3x2|10.0.0.1";
  EXPECT_EQ(send(sruns, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  socket.handed_on();
  EXPECT_EQ(std::getenv(wire::step_socket_variable), nullptr);
  EXPECT_EQ(fcntl(sruns, F_GETFD), -1);
  const auto step = socket.read();
  ASSERT_TRUE(step);
  EXPECT_EQ(step->time.time_since_epoch(), 17s);
  EXPECT_EQ(step->nodes, (std::vector<std::string>{"node1", "node2", "node3"}));
  EXPECT_EQ(socket.read(), std::nullopt);
}

TEST(StepSocket, KnowsNoNodesWhereSlurmDidNotTellThem) {
  for (const auto* const text : {"5 ", "5 1|node1", "5 1|node[1-|0+1x1|", "5 nonsense"}) {
    const auto step = created_step(text);
    ASSERT_TRUE(step) << text;
    EXPECT_TRUE(step->nodes.empty()) << text;
  }
}

TEST(StepSocket, TakesNothingElse) {
  for (const auto* const text : {"", "5", "x ", "-5 ", "5x ", " 5 ", "99999999999999999999 "}) {
    EXPECT_EQ(created_step(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace muster::supervision
