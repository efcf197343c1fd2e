#include "launcher/channel/questions.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::channel {
namespace {

// The questions, and everything that has been answered, by asker.
class BoardTest : public testing::Test {
 protected:
  void ask(layout::NodeIndex node, const std::string& name, const std::string& text = {},
           bool listens = true) {
    if (questions_.admit(name, text.size()) == Questions::Text::refused) return;
    questions_.ask({name, node, nodes_, text}, [this, node, listens](const std::string& answer) {
      if (listens) answers_.push_back(std::to_string(node) + ": " + answer);
      return listens;
    });
  }

  std::uint32_t nodes_ = 3;
  std::vector<std::string> plans_;
  std::size_t handed_over_ = 0;
  Questions questions_{[this](std::vector<std::string> plans) {
    plans_ = std::move(plans);
    ++handed_over_;
    EXPECT_TRUE(answers_.empty()) << "answered before the plans were handed over";
  }};
  std::vector<std::string> answers_;
};

using Answers = std::vector<std::string>;

TEST_F(BoardTest, TellsWhereTheHostIsToWhoeverAsksLater) {
  ask(0, "host", "10.0.0.1");
  EXPECT_EQ(answers_, Answers{});
  ask(1, "where");
  EXPECT_EQ(answers_, Answers{"1: 10.0.0.1"});
}

TEST_F(BoardTest, TellsWhereTheHostIsToWhoeverAskedBefore) {
  ask(1, "where");
  ask(2, "where");
  EXPECT_EQ(answers_, Answers{});
  ask(0, "host", "10.0.0.1");
  EXPECT_EQ(answers_, (Answers{"1: 10.0.0.1", "2: 10.0.0.1"}));
}

TEST_F(BoardTest, LetsTheHostTellTheFirstTrouble) {
  ask(0, "host", "10.0.0.1");
  ask(1, "trouble", "no way");
  ask(2, "trouble", "no way either");
  EXPECT_EQ(answers_, (Answers{"0: tell\nno way", "1: told", "2: told"}));
}

TEST_F(BoardTest, LetsTheNodeTellWhereThereIsNoHost) {
  ask(1, "trouble", "no way");
  ask(2, "trouble", "no way either");
  ask(0, "host", "10.0.0.1");
  EXPECT_EQ(answers_, (Answers{"1: tell", "2: told", "0: told\nno way"}));
}

TEST_F(BoardTest, LetsTheNodeTellWhenTheHostHasLeft) {
  ask(0, "host", "10.0.0.1", false);
  ask(1, "trouble", "no way");
  EXPECT_EQ(answers_, Answers{"1: tell"});
}

TEST_F(BoardTest, HandsThePlansOverInTheOrderOfNodesAndAnswersAllAfterwards) {
  ask(2, "plan", "c");
  ask(0, "plan", "a");
  EXPECT_EQ(handed_over_, 0U);
  ask(7, "plan", "d");
  EXPECT_EQ(plans_, (std::vector<std::string>{"a", "c", "d"}));
  EXPECT_EQ(answers_, (Answers{"2: ", "0: ", "7: "}));
  EXPECT_EQ(handed_over_, 1U);
}

TEST_F(BoardTest, SharesEveryNodesTextWithAllInTheOrderOfNodes) {
  ask(2, "share", "c 1");
  ask(0, "share", "a 1");
  EXPECT_TRUE(answers_.empty());
  ask(1, "share", "b 1");
  EXPECT_EQ(answers_, (Answers{"2: a 1\nb 1\nc 1", "0: a 1\nb 1\nc 1", "1: a 1\nb 1\nc 1"}));
}

TEST_F(BoardTest, TakesTheLaterOfTwoPlansOfANode) {
  ask(0, "plan", "old");
  ask(0, "plan", "a");
  ask(1, "plan", "b");
  EXPECT_EQ(handed_over_, 0U);
  ask(2, "plan", "c");
  EXPECT_EQ(plans_, (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(BoardTest, RefusesPlansThatAreTooLongTogetherAndTellsAll) {
  nodes_ = 20;
  ask(0, "plan", "a");
  for (int i = 0; i < 15; ++i) {
    EXPECT_EQ(questions_.admit("plan", max_plan_bytes), Questions::Text::wanted) << i;
  }
  EXPECT_EQ(questions_.admit("plan", max_plan_bytes), Questions::Text::discarded);
  ask(1, "plan", "b");
  ASSERT_EQ(answers_.size(), 2U);
  for (const auto& answer : answers_) EXPECT_NE(answer.find("too long"), std::string::npos);
  EXPECT_EQ(handed_over_, 0U);
}

TEST(Notice, IsAnsweredAtOnceAndHandedOverEachTime) {
  std::vector<std::string> notices;
  Questions questions({}, [&](const std::string& text) { notices.push_back(text); });
  std::string answers;
  for (const auto* const text : {"one", "two"}) {
    ASSERT_EQ(questions.admit("notice", 3), Questions::Text::wanted);
    questions.ask({"notice", 1, 2, text}, [&](const std::string& answer) {
      answers += "(" + answer + ")";
      return true;
    });
  }
  EXPECT_EQ(answers, "()()");
  EXPECT_EQ(notices, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(questions.admit("notice", max_notice_bytes + 1), Questions::Text::refused);
}

TEST_F(BoardTest, RefusesWhatIsNoQuestionAndWhatIsTooLong) {
  EXPECT_EQ(questions_.admit("who", 0), Questions::Text::refused);
  EXPECT_EQ(questions_.admit("", 0), Questions::Text::refused);
  EXPECT_EQ(questions_.admit("where", 1), Questions::Text::refused);
  EXPECT_EQ(questions_.admit("host", 4097), Questions::Text::refused);
  EXPECT_EQ(questions_.admit("plan", max_plan_bytes + 1), Questions::Text::refused);
  EXPECT_EQ(questions_.admit("plan", max_plan_bytes), Questions::Text::wanted);
}

}  // namespace
}  // namespace muster::channel
