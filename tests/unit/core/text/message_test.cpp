#include "core/text/message.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace muster::text {
namespace {

TEST(MessageLine, SaysHowSevereItIs) {
  EXPECT_EQ(to_line(Severity::error, "no such profile"), "muster: error: no such profile");
  EXPECT_EQ(to_line(Severity::warning, "one core"), "muster: warning: one core");
  EXPECT_EQ(to_line(Severity::hint, "give more"), "muster: hint: give more");
  EXPECT_EQ(to_line(Severity::progress, "restart 1"), "muster: restart 1");
}

TEST(MessageLine, ColoursTheWordOnly) {
  EXPECT_EQ(to_line(Severity::error, "no", true), "muster: \033[1;31merror:\033[0m no");
  EXPECT_EQ(to_line(Severity::warning, "no", true), "muster: \033[1;33mwarning:\033[0m no");
  EXPECT_EQ(to_line(Severity::hint, "no", true), "muster: \033[1;36mhint:\033[0m no");
  EXPECT_EQ(to_line(Severity::progress, "no", true), "muster: no");
}

TEST(MessageLine, IsReadAsItWasWritten) {
  for (const auto severity :
       {Severity::error, Severity::warning, Severity::hint, Severity::progress}) {
    for (const std::string text : {"", "a: b", "muster: twice"}) {
      const auto message = message_from(to_line(severity, text));
      ASSERT_TRUE(message);
      EXPECT_EQ(message->severity, severity) << text;
      EXPECT_EQ(message->text, text);
    }
  }
}

TEST(MessageLine, IsNotReadFromOthersLines) {
  EXPECT_FALSE(message_from("srun: error: muster: error: x"));
  EXPECT_FALSE(message_from("muster"));
  EXPECT_FALSE(message_from(""));
}

}  // namespace
}  // namespace muster::text
