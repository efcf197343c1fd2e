#include "core/dump/message.hpp"

#include "core/error.hpp"
#include "core/slurm/node_answers.hpp"
#include "core/text/list.hpp"
#include "fixtures/random_record.hpp"
#include "made_up_looks.hpp"

#include <gtest/gtest.h>

namespace muster::dump {
namespace {

TEST(Message, ComesBackTheSame) {
  auto process = look(3, in_all_reduce);
  process.remark = "why \\x1b";
  process.logs = "/home/alice/logs/42.0-attempt-0";
  auto moved = process;
  moved.second.threads = main_thread(in_data_loading);
  auto lost = process;
  lost.second.threads.clear();
  for (const Message& message :
       {Message(process), Message(moved), Message(lost), Message(NodeRemark{"node1", "no py-spy"}),
        Message(NodeDone{"node1"})}) {
    EXPECT_EQ(message_of(to_text(message)), message);
  }
}

TEST(Message, KeepsTheMainThreadWhereThereIsTooMuch) {
  auto process = look(0, in_all_reduce);
  const Thread large{.name = "t",
                     .frames = std::vector<Frame>(
                         max_frames, Frame{std::string(128, 'f'), std::string(256, 'p'), 1})};
  for (std::size_t i = 1; i < max_threads; ++i) process.first.threads.push_back(large);
  const auto text = to_text(process);
  EXPECT_LE(text.size(), max_message_bytes);
  const auto read = std::get<ProcessLook>(message_of(text));
  ASSERT_EQ(read.first.threads.size(), 1U);
  EXPECT_EQ(read.first.threads[0].frames, in_all_reduce);
}

TEST(Message, ComesBackAsItWasAndNothingElseDoes) {
  fixtures::expect_one_form<Message>();
  EXPECT_THROW(message_of(""), Error);
  EXPECT_THROW(message_of("{}"), Error);
}

// Whatever a node writes, a terminal does not act on it.
TEST(Message, IsMadeOfPrintableLines) {
  const auto read = std::get<NodeRemark>(message_of(to_text(NodeRemark{"a", "b\x1b[2J\nc"})));
  EXPECT_EQ(read.line, "b\\x1b[2J\\x0ac");
  const auto long_one =
      std::get<NodeRemark>(message_of(to_text(NodeRemark{"a", std::string(900, 'x')})));
  EXPECT_EQ(long_one.line.size(), max_remark_bytes);
}

TEST(Reader, PutsTheLinesOfManyNodesTogether) {
  auto one = look(0, in_all_reduce);
  auto other = look(16, in_data_loading);
  for (int i = 0; i < 30; ++i) {
    one.first.threads.push_back({"t", false, in_all_reduce});
    other.first.threads.push_back({"t", false, in_all_reduce});
  }
  const auto first = slurm::answer_lines("node1", 0, to_text(one));
  const auto second = slurm::answer_lines("node2", 0, to_text(other));
  const auto a = text::split(first, '\n');
  const auto b = text::split(second, '\n');
  std::string mixed = "srun: warning: slow\n";
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i < a.size()) mixed += std::string(a[i]) + '\n';
    if (i < b.size()) mixed += std::string(b[i]) + '\n';
  }
  Reader reader;
  reader.take(mixed + slurm::answer_lines("node1", 1, to_text(NodeDone{"node1"})));
  EXPECT_EQ(reader.looks().processes, (std::vector<ProcessLook>{one, other}));
  EXPECT_EQ(reader.looks().nodes, std::vector<std::string>{"node1"});
  EXPECT_EQ(reader.other_line(), "srun: warning: slow");
}

TEST(Reader, LeavesOutWhatIsDamagedAndKeepsTheRest) {
  const auto good = slurm::answer_lines("node1", 1, to_text(NodeRemark{"node1", "fine"}));
  const auto of_another =
      slurm::answer_lines("node1", 0, to_text(NodeRemark{"node2", "of another node"}));
  for (const auto* const damage :
       {"muster-node\n", "muster-node node1\n", "muster-node node1 x last {}\n",
        "muster-node node1 0 some {}\n", "muster-node node1 0 more {\"no\n",
        "muster-node node1 0 last {\"node\": \"node1\"\n", of_another.c_str()}) {
    Reader reader;
    reader.take(damage + good);
    EXPECT_EQ(reader.looks().remarks, (std::vector<NodeRemark>{{"node1", "fine"}})) << damage;
  }
}

}  // namespace
}  // namespace muster::dump
