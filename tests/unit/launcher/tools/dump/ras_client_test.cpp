#include "launcher/tools/dump/ras_client.hpp"

#include "core/dump/look.hpp"
#include "fixtures/loopback_server.hpp"

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace muster::dump {
namespace {

using namespace std::chrono_literals;

// A server for one client, in RAS's place.
class Server {
 public:
  explicit Server(std::function<void(int)> serve)
      : port_(fixtures::free_port()),
        listener_(fixtures::server(port_, true, "127.9.8.7")),
        thread_([this, serve = std::move(serve)] {
          const os::Descriptor visitor(accept(listener_.get(), nullptr, nullptr));
          serve(visitor.get());
        }) {}

  [[nodiscard]] std::string address() const { return fmt::format("127.9.8.7:{}", port_); }

 private:
  rendezvous::Port port_;
  os::Descriptor listener_;
  std::jthread thread_;
};

std::string heard(int socket) {
  std::string line;
  char letter = 0;
  while (recv(socket, &letter, 1, 0) == 1 && letter != '\n') line += letter;
  return line;
}

void say(int socket, const std::string& text) {
  static_cast<void>(!send(socket, text.data(), text.size(), MSG_NOSIGNAL));
}

// Says nothing until the client goes.
void be_silent(int socket) {
  while (!heard(socket).empty()) {
  }
}

void greet(int socket) {
  EXPECT_EQ(heard(socket), "CLIENT PROTOCOL 2");
  say(socket, "SERVER PROTOCOL 2\n");
  EXPECT_TRUE(heard(socket).starts_with("TIMEOUT "));
  say(socket, "OK\n");
  EXPECT_EQ(heard(socket), "VERBOSE STATUS");
}

TEST(AskRas, BringsItsLinesPrintable) {
  const Server server([](int socket) {
    greet(socket);
    say(socket, "Job summary\n\n  \x1b[2JCommunicator 1: INCOMPLETE\nlast without an end");
  });
  const auto answer = ask_ras(server.address(), 20s);
  EXPECT_EQ(answer.remark, "");
  ASSERT_EQ(answer.lines.size(), 3U);
  EXPECT_EQ(answer.lines[0], "Job summary");
  EXPECT_EQ(answer.lines[1].find('\x1b'), std::string::npos);
  EXPECT_NE(answer.lines[1].find("INCOMPLETE"), std::string::npos);
}

TEST(AskRas, LeavesAServerThatIsSilentAtEachStepOfTheConversation) {
  for (int step = 0; step < 3; ++step) {
    const Server server([step](int socket) {
      if (step > 0) {
        heard(socket);
        say(socket, "SERVER PROTOCOL 2\n");
      }
      if (step > 1) {
        heard(socket);
        say(socket, "OK\n");
      }
      be_silent(socket);
    });
    const auto answer = ask_ras(server.address(), 200ms);
    EXPECT_TRUE(answer.lines.empty());
    EXPECT_NE(answer.remark, "") << step;
  }
}

TEST(AskRas, RefusesGarbage) {
  const Server server([](int socket) {
    say(socket, std::string(5000, '\xff') + "\n\n\n");
    be_silent(socket);
  });
  const auto answer = ask_ras(server.address(), 20s);
  EXPECT_TRUE(answer.lines.empty());
  EXPECT_EQ(answer.remark, "the service at NCCL_RAS_ADDR is not NCCL's RAS, or does not answer");
}

TEST(AskRas, TakesTheBeginningOfAHundredMegabytesAndGoes) {
  for (const auto& line : std::vector<std::string>{"x\n", "a line\n", std::string(4000, 'y')}) {
    const Server server([&line](int socket) {
      greet(socket);
      std::string part;
      while (part.size() < 65536) part += line;
      for (std::size_t sent = 0; sent < (100U << 20); sent += part.size()) {
        if (send(socket, part.data(), part.size(), MSG_NOSIGNAL) < 0) return;
      }
      ADD_FAILURE() << "all of it was taken";
    });
    const auto answer = ask_ras(server.address(), 20s);
    EXPECT_LE(answer.lines.size(), max_ras_lines);
    EXPECT_FALSE(answer.lines.empty());
    EXPECT_LE(answer.lines.front().size(), max_remark_bytes);
    EXPECT_EQ(answer.remark,
              "NCCL's RAS did not finish its answer: the files contain only part of it");
  }
}

TEST(AskRas, SaysWhereNobodyListensOrTheAddressIsElsewhere) {
  const auto nobody = fmt::format("127.9.8.7:{}", fixtures::free_port());
  EXPECT_EQ(ask_ras(nobody, 20s).remark, "NCCL's RAS is not listening on NCCL_RAS_ADDR");
  for (const char* address : {"", "x", "10.0.0.1:28028", "127.0.0.1", "127.0.0.1:0",
                              "127.0.0.1:70000", "[::1]:28028", "127.evil:28028"}) {
    EXPECT_EQ(ask_ras(address, 20s).remark,
              "NCCL's RAS was not queried: NCCL_RAS_ADDR is not a loopback address")
        << address;
  }
}

TEST(AnswersRas, OnlyWhereAQuestionDoesNoHarm) {
  for (const char* version : {"2.29.2", "2.29.10", "2.30.0", "3.0.0"}) {
    EXPECT_TRUE(answers_ras(version)) << version;
  }
  for (const char* version : {"", "2.29.1", "2.24.3", "1.99.99", "2.29", "2.29.2.1", "2.x.9"}) {
    EXPECT_FALSE(answers_ras(version)) << version;
  }
}

}  // namespace
}  // namespace muster::dump
