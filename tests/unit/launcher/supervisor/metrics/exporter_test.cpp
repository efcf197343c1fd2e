#include "launcher/supervisor/metrics/exporter.hpp"

#include "fixtures/scratch_directory.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::metrics {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr Times quick{.first_write = 10ms, .interval = 50ms, .client = 500ms, .last_write = 1s};

status::Step step_with(std::uint32_t ranks_up) {
  status::Step step;
  step.ranks_up = ranks_up;
  step.run = status::Run{.job = "42", .step = "0"};
  return step;
}

class ExporterTest : public ::testing::Test {
 protected:
  option::Metrics at_any_port() const { return {.port = 0}; }
  Exporter::Say say() {
    return [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      said_.push_back(line);
    };
  }
  std::vector<std::string> said() {
    const std::lock_guard lock(mutex_);
    return said_;
  }
  static Exporter::FileName named(const std::string& file) {
    return [file](const status::Step&) { return file; };
  }
  std::string content() const {
    std::stringstream text;
    text << std::ifstream(file_).rdbuf();
    return text.str();
  }
  void await_content(const std::string& part) const {
    for (int i = 0; i < 300 && content().find(part) == std::string::npos; ++i)
      std::this_thread::sleep_for(10ms);
    EXPECT_NE(content().find(part), std::string::npos) << content();
  }

  const fixtures::ScratchDirectory directory_;
  const std::string file_ = directory_.path("job.prom");
  std::mutex mutex_;
  std::vector<std::string> said_;
};

// ---- the file

TEST_F(ExporterTest, WritesTheFileAgainAndAgainAndAtTheEnd) {
  std::atomic<std::uint32_t> up = 1;
  Exporter exporter({.file = file_}, named(file_), say(), quick);
  exporter.start([&up] { return step_with(up); });
  await_content("muster_ranks_up{job=\"42\",step=\"0\"} 1\n");
  up = 2;
  std::this_thread::sleep_for(1s);  // many looks in a second are one
  await_content("muster_ranks_up{job=\"42\",step=\"0\"} 2\n");
  exporter.stop();
  exporter.finish(step_with(0));
  await_content("muster_ranks_up{job=\"42\",step=\"0\"} 0\n");
  EXPECT_TRUE(said().empty());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_.path()), {}), 1);
}

TEST_F(ExporterTest, WaitsForTheFilesName) {
  Exporter exporter({.file = "%s"}, named(""), say(), quick);
  exporter.start([] { return step_with(1); });
  std::this_thread::sleep_for(50ms);
  exporter.stop();
  EXPECT_TRUE(said().empty());
}

TEST_F(ExporterTest, SaysOnceThatAFileCannotBeWritten) {
  Exporter exporter({.file = file_}, named(directory_.path("missing/job.prom")), say(), quick);
  exporter.start([] { return step_with(1); });
  std::this_thread::sleep_for(300ms);
  exporter.stop();
  exporter.finish(step_with(0));
  ASSERT_EQ(said().size(), 1U);
  EXPECT_NE(said()[0].find("No such file or directory; the run continues"), std::string::npos);
}

TEST_F(ExporterTest, ReplacesNoDirectory) {
  Exporter exporter({.file = directory_.path()}, named(directory_.path()), say(), quick);
  exporter.finish(step_with(0));
  ASSERT_EQ(said().size(), 1U);
  EXPECT_NE(said()[0].find("Is a directory"), std::string::npos) << said()[0];
}

// A limit on the size of files stands for a full disk.
TEST_F(ExporterTest, LeavesTheOldFileIfTheNewOneIsNotWhole) {
  std::ofstream(file_) << "old\n";
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto ignored = signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  Exporter exporter({.file = file_}, named(file_), say(), quick);
  exporter.finish(step_with(0));
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, ignored);
  EXPECT_EQ(content(), "old\n");
  EXPECT_EQ(said().size(), 1U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_.path()), {}), 1);
}

// ---- the port

class Scraper {
 public:
  explicit Scraper(std::uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval timeout{10, 0};
    setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    connected_ =
        connect(socket_.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0;
  }
  bool connected() const { return connected_; }
  // False if the other end is gone.
  bool say(std::string_view text) const {
    return send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL) >= 0;
  }
  std::string answer() const {
    std::string text;
    char block[4096];
    ssize_t size = 0;
    while ((size = recv(socket_.get(), block, sizeof block, 0)) > 0)
      text.append(block, static_cast<std::size_t>(size));
    return text;
  }

 private:
  os::Descriptor socket_;
  bool connected_ = false;
};

constexpr std::string_view request = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n";

TEST_F(ExporterTest, AnswersAtThePort) {
  Exporter exporter(at_any_port(), {}, say(), quick);
  ASSERT_NE(exporter.port(), 0);
  exporter.start([] { return step_with(7); });
  for (int i = 0; i < 50; ++i) {
    const Scraper scraper(exporter.port());
    scraper.say(request);
    const auto answer = scraper.answer();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
    EXPECT_NE(answer.find("muster_ranks_up{job=\"42\",step=\"0\"} 7\n"), std::string::npos);
    EXPECT_EQ(answer.find("# EOF"), std::string::npos);
  }
  const Scraper scraper(exporter.port());
  scraper.say("GET / HTTP/1.1\r\nAccept: application/openmetrics-text;version=1.0.0\r\n\r\n");
  EXPECT_TRUE(scraper.answer().ends_with("# EOF\n"));
}

TEST_F(ExporterTest, LetsScrapersWaitBetweenTwoAttempts) {
  Exporter exporter(at_any_port(), {}, say(), quick);
  exporter.start([] { return step_with(1); });
  exporter.stop();
  const Scraper scraper(exporter.port());
  scraper.say(request);
  exporter.start([] { return step_with(2); });
  EXPECT_NE(scraper.answer().find("muster_ranks_up{job=\"42\",step=\"0\"} 2\n"), std::string::npos);
}

TEST_F(ExporterTest, IsNotHeldUpByClientsThatSayNothingOrTooMuch) {
  Exporter exporter(at_any_port(), {}, say(), quick);
  exporter.start([] { return step_with(3); });
  std::vector<Scraper> silent;
  for (int i = 0; i < 40; ++i) silent.emplace_back(exporter.port());
  silent[0].say("GET /metrics HTT");
  const auto begun = steady_clock::now();
  const Scraper scraper(exporter.port());
  scraper.say(request);
  EXPECT_NE(scraper.answer().find("muster_ranks_up"), std::string::npos);
  EXPECT_LT(steady_clock::now() - begun, 5s);
  const Scraper talker(exporter.port());
  talker.say("POST /metrics HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n");
  const std::string block(std::size_t{1} << 20, 'x');
  int sent = 0;
  while (sent < 1000 && talker.say(block)) ++sent;
  EXPECT_LT(sent, 100);  // MiB, of which most are in the sockets' buffers
}

TEST_F(ExporterTest, SaysThatThePortIsTaken) {
  const Exporter first(at_any_port(), {}, say(), quick);
  Exporter second({.port = first.port()}, {}, say(), quick);
  ASSERT_EQ(said().size(), 1U);
  EXPECT_NE(said()[0].find("Address already in use; use another port"), std::string::npos);
  second.start([] { return step_with(1); });
  second.finish(step_with(0));
}

TEST_F(ExporterTest, ListensWhereItIsTold) {
  const Exporter v6({.address = "::1", .port = 0}, {}, say(), quick);
  EXPECT_EQ(said().empty(), v6.port() != 0);  // a machine may have no IPv6
  const Exporter elsewhere({.address = "192.0.2.1", .port = 0}, {}, say(), quick);
  EXPECT_EQ(elsewhere.port(), 0);
  EXPECT_NE(said().back().find("cannot listen on port 0 of 192.0.2.1"), std::string::npos);
}

}  // namespace
}  // namespace muster::metrics
