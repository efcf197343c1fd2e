#include "launcher/channel/control/server.hpp"

#include "launcher/channel/control/client.hpp"
#include "launcher/channel/control/place.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::control {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds far{seconds{10}};
constexpr std::size_t max_answer = 1 << 20;

// With a separate home and runtime directory.
class ControlTest : public testing::Test {
 protected:
  ControlTest() {
    std::string name = fs::temp_directory_path() / "muster-control-XXXXXX";
    top_ = mkdtemp(name.data());
    runtime_ = top_ / "run";
    fs::create_directory(runtime_);
    environment_ = {{"HOME", top_ / "home"}, {"XDG_RUNTIME_DIR", runtime_}};
  }
  ~ControlTest() override { fs::remove_all(top_); }

  [[nodiscard]] std::vector<Place> ours() const {
    std::vector<Place> found;
    for (const auto& place : places(environment_, "here")) {
      if (place.directory.string().starts_with(top_.string())) found.push_back(place);
    }
    return found;
  }

  static Handlers handlers() {
    return {{"echo", [](const auto& question) { return "heard " + question; }},
            {"long", [](const auto&) { return std::string(max_answer, 'x'); }}};
  }

  fs::path top_;
  fs::path runtime_;
  Environment environment_;
};

TEST_F(ControlTest, AnswersAQuestionByItsName) {
  Socket socket(environment_, "here");
  Server server(socket, handlers());
  server.start();
  ASSERT_EQ(ours().size(), 1U);
  EXPECT_EQ(ask(ours()[0], "echo", far, max_answer).line, "heard {\"ask\":\"echo\"}");
  EXPECT_EQ(ask(ours()[0], "long", far, max_answer).line, std::string(max_answer, 'x'));
  EXPECT_EQ(ask(ours()[0], "another", far, max_answer).line, std::nullopt);
  EXPECT_EQ(ask(ours()[0], "long", far, max_answer / 2).line, std::nullopt)
      << "longer than allowed";
}

TEST_F(ControlTest, NothingIsMadeBeforeTheServerStarts) {
  Socket socket(environment_, "here");
  Server server(socket, handlers());
  EXPECT_TRUE(fs::is_empty(runtime_));
  server.start();
  EXPECT_EQ(ours().size(), 1U);
}

// As on nodes that cannot write to the home, and have no runtime directory.
TEST_F(ControlTest, TheLastPlaceIsOneOfTheUsersInTmp) {
  environment_ = {{"HOME", "/proc/no-home"}, {"XDG_RUNTIME_DIR", "/proc/no-directory"}};
  const auto all = directories(environment_, "here");
  EXPECT_EQ(all.back(), "/tmp/muster-control-" + std::to_string(geteuid()));
  Socket socket(environment_, "here");
  Server server(socket, handlers());
  server.start();
  const auto answers = [](const Place& place) {
    return ask(place, "echo", far, max_answer).line.has_value();
  };
  EXPECT_TRUE(std::ranges::any_of(places(environment_, "here"), answers));
}

TEST_F(ControlTest, APlaceThatOthersCanAccessIsNotUsed) {
  const auto shared = top_ / "shared";
  fs::create_directory(shared);
  fs::permissions(shared, fs::perms::all);
  EXPECT_FALSE(open_private(shared));
  fs::permissions(shared, fs::perms::owner_all);
  EXPECT_TRUE(open_private(shared));
  fs::create_directory_symlink(shared, top_ / "link");
  EXPECT_FALSE(open_private(top_ / "link"));
}

TEST_F(ControlTest, TheNextServerAnswersAtTheSameSocket) {
  Socket socket(environment_, "here");
  std::optional<Server> server(std::in_place, socket, handlers());
  server->start();
  const auto place = ours().at(0);
  server.emplace(socket, handlers()).start();
  EXPECT_EQ(ask(place, "echo", far, max_answer).line, "heard {\"ask\":\"echo\"}");
}

TEST_F(ControlTest, TheSocketIsInADirectoryOfItsUserAlone) {
  Socket socket(environment_, "here");
  socket.open();
  struct stat found {};
  ASSERT_EQ(stat((runtime_ / "muster").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & ALLPERMS, S_IRWXU);
}

TEST_F(ControlTest, ADirectoryThatOthersCanUseIsNotUsed) {
  fs::create_directory(runtime_ / "muster");
  fs::permissions(runtime_ / "muster", fs::perms::all);
  Socket socket(environment_, "here");
  socket.open();
  EXPECT_FALSE(open_private(runtime_ / "muster"));
  EXPECT_TRUE(fs::is_empty(runtime_ / "muster"));
}

TEST_F(ControlTest, ADirectoryThatIsALinkIsNotUsed) {
  fs::create_directory(top_ / "elsewhere");
  fs::permissions(top_ / "elsewhere", fs::perms::owner_all);
  fs::create_symlink(top_ / "elsewhere", runtime_ / "muster");
  Socket socket(environment_, "here");
  socket.open();
  EXPECT_TRUE(fs::is_empty(top_ / "elsewhere"));
}

TEST_F(ControlTest, ThePathMayBeLongerThanASocketsNameCanBe) {
  const auto deep = top_ / std::string(200, 'd');
  fs::create_directory(deep);
  environment_.set("XDG_RUNTIME_DIR", deep);
  Socket socket(environment_, "here");
  Server server(socket, handlers());
  server.start();
  ASSERT_EQ(ours().size(), 1U);
  EXPECT_TRUE(ask(ours()[0], "echo", far, max_answer).line);
}

TEST_F(ControlTest, NothingIsLeftOfASocketThatIsClosed) {
  Socket socket(environment_, "here");
  socket.open();
  EXPECT_EQ(ours().size(), 1U);
  socket.close();
  EXPECT_TRUE(ours().empty());
}

TEST_F(ControlTest, WhatAKilledProcessHasLeftIsRemoved) {
  const auto directory = runtime_ / "muster";
  fs::create_directory(directory);
  fs::permissions(directory, fs::perms::owner_all);
  {
    const os::Descriptor made(::socket(AF_UNIX, SOCK_STREAM, 0));
    const auto opened = open_private(directory);
    const auto address = address_in(opened, "1.socket");
    ASSERT_EQ(bind(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ASSERT_EQ(ours().size(), 1U);
  EXPECT_EQ(ask(ours()[0], "echo", far, max_answer).line, std::nullopt);
  EXPECT_TRUE(ours().empty());
}

TEST_F(ControlTest, AClientThatSaysNothingOrGarbageHoldsNobodyForLong) {
  Socket socket(environment_, "here");
  Server server(socket, handlers());
  server.start();
  const auto connect_raw = [&](const std::string& text) {
    const auto directory = open_private(ours()[0].directory);
    const auto address = address_in(directory, ours()[0].socket);
    os::Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(connect(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(send(made.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
    return made;
  };
  const auto silent = connect_raw("");
  const auto garbage = connect_raw("[[[[[[[[[[[[[[\n");
  const auto number = connect_raw("{\"ask\":7}\n");
  const auto endless = connect_raw(std::string(max_question_bytes, 'a'));
  EXPECT_TRUE(ask(ours()[0], "echo", seconds{60}, max_answer).line);
}

TEST_F(ControlTest, AServerEndsThoughAClientIsThere) {
  Socket socket(environment_, "here");
  std::optional<Server> server(std::in_place, socket, handlers());
  server->start();
  server.reset();
  const auto answer = ask(ours()[0], "echo", milliseconds{50}, max_answer);
  EXPECT_TRUE(answer.reached) << "between two attempts nobody answers, and the socket stays";
  EXPECT_FALSE(answer.line);
  EXPECT_EQ(ours().size(), 1U);
}

}  // namespace
}  // namespace muster::control
