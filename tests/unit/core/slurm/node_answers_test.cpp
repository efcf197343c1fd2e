#include "core/slurm/node_answers.hpp"

#include "core/text/list.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

using Answers = std::vector<std::pair<std::string, std::string>>;

Answers answers_in(const std::string& output, std::size_t max_bytes = 10'000) {
  Answers answers;
  read_node_answers(output, max_bytes, [&](const std::string& node, std::string_view text) {
    answers.emplace_back(node, text);
  });
  return answers;
}

std::string_view other_line(std::string_view output) {
  return read_node_answers(output, 1000, [](const auto&, auto) {});
}

TEST(NodeAnswers, HaveLinesThatSlurmDoesNotCut) {
  const auto lines = answer_lines(std::string(200, 'n'), 7, std::string(5000, 'x'));
  for (const auto line : text::split(lines, '\n')) EXPECT_LE(line.size(), max_answer_line_bytes);
  EXPECT_EQ(answers_in(lines), (Answers{{std::string(200, 'n'), std::string(5000, 'x')}}));
}

TEST(NodeAnswers, ArePutTogetherFromTheLinesOfManyNodes) {
  const auto first = answer_lines("node1", 0, std::string(1500, 'a'));
  const auto second = answer_lines("node2", 0, std::string(1500, 'b'));
  const auto a = text::split(first, '\n');
  const auto b = text::split(second, '\n');
  ASSERT_EQ(a.size(), b.size());
  std::string mixed;
  for (std::size_t i = 0; i < a.size(); ++i)
    mixed += std::string(a[i]) + '\n' + std::string(b[i]) + '\n';
  EXPECT_EQ(
      answers_in(mixed + answer_lines("node1", 1, "")),
      (Answers{
          {"node1", std::string(1500, 'a')}, {"node2", std::string(1500, 'b')}, {"node1", ""}}));
}

TEST(NodeAnswers, AreLeftOutWhereTheyAreDamaged) {
  for (const auto* const damage :
       {"muster-node\n", "muster-node \n", "muster-node node1\n", "muster-node node1 x last a\n",
        "muster-node  0 last a\n", "muster-node node1 0 some a\n",
        "muster-node node1 0 more a\n"}) {
    EXPECT_EQ(answers_in(damage + answer_lines("node1", 1, "fine")), (Answers{{"node1", "fine"}}))
        << damage;
  }
  EXPECT_EQ(answers_in(answer_lines(std::string(256, 'n'), 0, "a")), Answers{});
}

TEST(NodeAnswers, HaveABound) {
  EXPECT_EQ(answers_in(answer_lines("node1", 0, std::string(2001, 'x')), 2000), Answers{});
  EXPECT_EQ(answers_in(answer_lines("node1", 0, std::string(2000, 'x')), 2000).at(0).second.size(),
            2000U);
}

TEST(NodeAnswers, AreNotTheFirstLineOfSrun) {
  EXPECT_EQ(other_line("\nmuster-node node1 0 last a\nsrun: error\nmore\n"), "srun: error");
  EXPECT_EQ(other_line("muster-node node1 0 last a\n"), "");
  EXPECT_EQ(other_line(""), "");
}

}  // namespace
}  // namespace muster::slurm
