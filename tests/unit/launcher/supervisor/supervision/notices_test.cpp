#include "launcher/supervisor/supervision/notices.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::supervision {
namespace {

std::string shown(const std::string& text, int times = 1) {
  std::FILE* const stream = std::tmpfile();
  Notices notices(stream);
  for (int i = 0; i < times; ++i) notices.show(text);
  std::rewind(stream);
  std::array<char, 8192> bytes{};
  const auto size = std::fread(bytes.data(), 1, bytes.size(), stream);
  std::fclose(stream);
  return {bytes.data(), size};
}

TEST(Notices, AreLinesOfMusters) {
  EXPECT_EQ(shown("rank 0 moved\nrank 1 moved"),
            "muster: warning: rank 0 moved\nmuster: warning: rank 1 moved\n");
  EXPECT_EQ(shown(""), "");
}

TEST(Notices, KeepTheWordThatTheNodeGives) {
  EXPECT_EQ(shown("muster: error: a stranger listens"), "muster: error: a stranger listens\n");
}

TEST(Notices, AreShownOnceThoughAllNodesSendThem) {
  EXPECT_EQ(shown("RANK was replaced", 3), "muster: warning: RANK was replaced\n");
}

TEST(Notices, CannotWriteToTheTerminalAsTheyLike) {
  EXPECT_EQ(shown("a\033[2Jb"), "muster: warning: a\\x1b[2Jb\n");
}

TEST(Notices, EndWithAWordWhereThereAreTooMany) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "line " + std::to_string(i) + "\n";
  const auto text = shown(lines);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')), Notices::max_lines + 1);
  EXPECT_TRUE(text.ends_with("which are not shown\n")) << text;
}

TEST(Notices, OfTheSupervisorItselfAreShownAfterAnyNumberOfOthers) {
  std::FILE* const stream = std::tmpfile();
  Notices notices(stream);
  for (int i = 0; i < 100; ++i) notices.show("line " + std::to_string(i));
  notices.insist(text::Severity::warning, "hang=5s: no rank has made progress");
  notices.insist(text::Severity::warning, "hang=5s: no rank has made progress");
  std::rewind(stream);
  std::array<char, 8192> bytes{};
  const std::string text(bytes.data(), std::fread(bytes.data(), 1, bytes.size(), stream));
  std::fclose(stream);
  const std::string line = "muster: warning: hang=5s: no rank has made progress\n";
  EXPECT_TRUE(text.ends_with("which are not shown\n" + line + line)) << text;
}

// Meanwhile the channel's thread would answer no node.
TEST(Notices, WaitForAStreamThatTakesNothingWithoutHoldingWhoeverBringsThem) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK), 0);
  std::size_t filled = 0;
  for (const std::array<char, 4096> full{}; write(ends[1], full.data(), full.size()) > 0;) {
    filled += full.size();
  }
  ASSERT_EQ(fcntl(ends[1], F_SETFL, 0), 0);
  std::FILE* const stream = fdopen(ends[1], "w");
  Notices notices(stream);
  notices.show("rank 0 moved");
  notices.show("rank 1 moved");
  std::string text(2 * filled, '.');
  text.resize(static_cast<std::size_t>(read(ends[0], text.data(), text.size())));
  EXPECT_EQ(text.size(), filled);
  notices.show("rank 2 moved");
  notices.finish();
  std::fclose(stream);
  text.assign(filled, '.');
  text.resize(static_cast<std::size_t>(read(ends[0], text.data(), text.size())));
  EXPECT_EQ(
      text,
      "muster: warning: rank 0 moved\nmuster: warning: rank 1 moved\nmuster: warning: rank 2 moved\n");
  close(ends[0]);
}

}  // namespace
}  // namespace muster::supervision
