#include "core/report/error_file.hpp"

#include "core/text/quote.hpp"
#include "fixtures/random_text.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::report {
namespace {

const std::string good =
    R"({"message": {"message": "ValueError: boom", "extraInfo": {"py_callstack": "Traceback:\n  main()\n", )"
    R"("timestamp": "1700000000"}, "errorCode": -9}})";

TEST(ErrorFile, HasTorchsMessageAndTraceback) {
  const auto file = parse_error_file(good);
  ASSERT_TRUE(file.exception);
  EXPECT_EQ(file.exception->message, "ValueError: boom");
  EXPECT_EQ(file.exception->traceback, "Traceback:\n  main()\n");
  EXPECT_EQ(file.exception->time, std::nullopt);
  EXPECT_EQ(file.remark, "");
}

TEST(ErrorFile, MayHaveTheShortForm) {
  const auto file = parse_error_file(R"({"message": "ValueError: boom", "timestamp": 1700000000})");
  ASSERT_TRUE(file.exception);
  EXPECT_EQ(*file.exception, (Exception{"ValueError: boom", "", {}}));
}

TEST(ErrorFile, KeepsTheMessageOfAFileThatIsCutOff) {
  const auto file = parse_error_file(good.substr(0, good.find("main()")));
  ASSERT_TRUE(file.exception);
  EXPECT_EQ(file.exception->message, "ValueError: boom");
  EXPECT_EQ(file.exception->traceback, "");
  EXPECT_EQ(file.remark, "the rest of its error file, after the message, is damaged or too long");
}

TEST(ErrorFile, IsRefusedByNameWhereItHasNoMessage) {
  EXPECT_EQ(parse_error_file("").remark, "its error file is empty");
  for (const std::string text :
       {"{}", "[]", "1", "null", R"({"message": 3})", R"({"message": {"message": ["x"]}})",
        R"(["message", "x"])", R"({"a": {"message": "x"}})", R"({"message": ""})"}) {
    EXPECT_EQ(parse_error_file(text).exception, std::nullopt) << text;
    EXPECT_EQ(parse_error_file(text).remark, "its error file has no message") << text;
  }
  for (const std::string& text : {std::string("Traceback"), std::string("{\"mess"),
                                  std::string(100, '\0'), std::string(100'000, '[')}) {
    EXPECT_EQ(parse_error_file(text).exception, std::nullopt);
    EXPECT_EQ(parse_error_file(text).remark, "its error file is not torch's JSON");
  }
}

TEST(ErrorFile, IsReadUpToItsBoundOnly) {
  const std::string huge =
      R"({"message": "OSError: x", "extra": ")" + std::string(max_error_file_bytes, 'x') + R"("})";
  const auto file = parse_error_file(huge);
  ASSERT_TRUE(file.exception);
  EXPECT_EQ(file.exception->message, "OSError: x");
  EXPECT_NE(file.remark, "");
}

TEST(ErrorFile, GivesTheBeginningOfALongMessageAndTheEndOfALongTraceback) {
  std::string frames;
  for (int i = 0; i < 5000; ++i) frames += "  frame " + std::to_string(i) + "\\n";
  const auto file = parse_error_file(R"({"message": {"message": "E: )" + std::string(5000, 'x') +
                                     R"(", "extraInfo": {"py_callstack": ")" + frames + R"("}}})");
  ASSERT_TRUE(file.exception);
  EXPECT_EQ(file.exception->message.size(), max_message_bytes);
  EXPECT_TRUE(file.exception->message.starts_with("E: x"));
  EXPECT_LE(file.exception->traceback.size(), max_traceback_bytes);
  EXPECT_TRUE(file.exception->traceback.starts_with("  frame "));
  EXPECT_TRUE(file.exception->traceback.ends_with("  frame 4999\n"));
}

// Python writes a byte of a file name that is not UTF-8 as "\udcff".
TEST(ErrorFile, ReplacesWhatIsNotUnicode) {
  const auto message_of = [](const std::string& text) {
    const auto file = parse_error_file(R"({"message": ")" + text + R"("})");
    return file.exception ? file.exception->message : file.remark;
  };
  EXPECT_EQ(message_of(R"(no file a\udcff.pt)"), "no file a\xEF\xBF\xBD.pt");
  EXPECT_EQ(message_of(R"(\ud83d\ude00 \ud83d! \\ud83d)"),
            "\xF0\x9F\x98\x80 \xEF\xBF\xBD! \\ud83d");
  EXPECT_EQ(message_of("a\xFF"
                       "b"),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(ErrorFile, IsAnExceptionWithinItsBoundsOrARemarkWhateverItsBytes) {
  fixtures::RandomText random(13);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = good;
    for (std::size_t count = random.below(6); count > 0; --count) text = random.mutate(text);
    const auto file = parse_error_file(i % 5 == 0 ? random.bytes(60) : text);
    ASSERT_TRUE(file.exception || !file.remark.empty());
    if (!file.exception) continue;
    ASSERT_FALSE(file.exception->message.empty());
    ASSERT_TRUE(text::is_utf8(file.exception->message + file.exception->traceback));
  }
}

}  // namespace
}  // namespace muster::report
