// config/samples: each is chosen on its own fabric and only there, and the lint reports nothing about it.
#include "fixtures/samples.hpp"

#include "core/lint/lint.hpp"
#include "core/site/config.hpp"
#include "core/text/list.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <gtest/gtest.h>

namespace muster::site {
namespace {

using fabric::Fabric;
using fixtures::samples;

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(MUSTER_SOURCE_DIR "/config/samples/") + name + ".yaml");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<VariableRule> sample_rules(const std::string& name) {
  return parse_config(text_of(name), name + ".yaml", ConfigKind::site).variables;
}

// On a node with every file that a rule may require, in a step of two nodes.
std::vector<SiteVariable> chosen(const std::vector<VariableRule>& rules, Fabric fabric) {
  const VariableFacts facts{.rule = {.partition = "gpu",
                                     .step_nodes = 2,
                                     .node = "node1",
                                     .fabric = [fabric] { return fabric; }},
                            .exists = [](const std::string&) { return true; },
                            .is_set = [](const std::string&) { return false; }};
  std::vector<SiteVariable> variables;
  for (const auto* const rule : matching_rules(rules, facts)) add_new(variables, rule->set);
  return variables;
}

TEST(Samples, AreAllHere) {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(MUSTER_SOURCE_DIR "/config/samples")) {
    EXPECT_TRUE(samples().contains(entry.path().stem())) << entry.path();
    ++count;
  }
  EXPECT_EQ(count, samples().size());
}

TEST(Samples, AreChosenOnTheirFabricAndOnlyThere) {
  for (const auto& [name, own] : samples()) {
    const auto rules = sample_rules(name);
    for (const auto& [word, fabric] : fabric::fabric_names)
      EXPECT_EQ(chosen(rules, fabric).empty(), fabric != own) << name << " on " << word;
  }
}

TEST(Samples, HaveNothingObsoleteOrContradictory) {
  for (const auto& [name, fabric] : samples()) {
    for (const auto nccl : {0, 22703, 23000}) {
      lint::Circumstances all{.variables = {}, .fabric = fabric, .nodes = 2};
      if (nccl > 0) all.nccl = nccl;
      for (const auto& one : chosen(sample_rules(name), fabric))
        all.variables.push_back({one.name, one.value, one.where});
      for (const auto& finding : lint::lint(all))
        ADD_FAILURE() << name << ": " << lint::to_line(finding);
    }
  }
}

TEST(Samples, SayWhatTheyStandOnAndWhyEachVariableIsNeeded) {
  for (const auto& [name, fabric] : samples()) {
    const auto text = text_of(name);
    for (const auto* const word :
         {"# probe:   fabric: ", "# minimum: ", "# source:  ", "# read:    20"})
      EXPECT_NE(text.find(word), std::string::npos) << name << " lacks " << word;
    const auto lines = text::split(text, '\n');
    for (const auto& one : chosen(sample_rules(name), fabric)) {
      const auto line = std::ranges::find_if(
          lines, [&](std::string_view each) { return each.find("      " + one.name + ": ") == 0; });
      ASSERT_NE(line, lines.end()) << name << ": " << one.name;
      const bool said = line[-1].find("# Still needed: ") != std::string_view::npos ||
                        line[-2].find("# Still needed: ") != std::string_view::npos;
      EXPECT_TRUE(said) << name << ": " << one.name;
    }
  }
}

}  // namespace
}  // namespace muster::site
