// A script in place of scontrol. Each test asks in a child, because a process remembers a refusal.
#include "launcher/slurm/ask.hpp"

#include "fixtures/scratch_directory.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/slurm/drained.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

using namespace std::chrono_literals;

class AskNodes : public testing::Test {
 protected:
  // `node`, `config`: what scontrol prints when it is asked about nodes, or about the configuration.
  std::string in_child(const std::string& node, const std::string& config,
                       const std::function<std::string()>& ask) {
    scratch_.write("node", node);
    scratch_.write("config", config);
    const auto script =
        scratch_.write("scontrol", "#!/bin/sh\ncd " + scratch_.path() +
                                       "\ncase $* in *'show node'*) echo node >>asked; cat "
                                       "node; exit 1;; *) cat config; test -s config;; esac\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    return os::answer_of_child(
               [&] {
                 const auto path = scratch_.path() + ":" + std::getenv("PATH");
                 setenv("PATH", path.c_str(), 1);
                 return ask();
               },
               20s)
        .value_or("no answer");
  }

  [[nodiscard]] std::string asked() const {
    std::ifstream file(scratch_.path("asked"));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::vector<std::string> names_{"n1", "n2"};
  const std::string denied_ = "slurm_load_node error: Access/permission denied\n";
  const fixtures::ScratchDirectory scratch_;
};

TEST_F(AskNodes, AreAskedAboutOnlyOnceWhereSlurmHidesThem) {
  const auto answer = in_child(denied_, "SlurmdPort              = 7001\n", [this] {
    std::string text;
    for (int i = 0; i < 2; ++i) {
      for (const auto& node : ask_nodes_and_ports(names_, 5000ms))
        text += fmt::format("{}:{} ", node.address, node.port);
    }
    return text + (hides_nodes() ? "hidden" : "shown");
  });
  EXPECT_EQ(answer, "n1:7001 n2:7001 n1:7001 n2:7001 hidden");
  EXPECT_EQ(asked(), "node\n");
}

TEST_F(AskNodes, FindsNoneWhereSlurmDoesNotAnswer) {
  const auto answer =
      in_child("slurm_load_node error: Unable to contact slurm controller\n", "", [this] {
        const auto found = ask_nodes_and_ports(names_, 5000ms);
        return fmt::format("{} {}", found.size(), hides_nodes());
      });
  EXPECT_EQ(answer, "0 false");
}

// Otherwise a supervisor would start an attempt without slurmctld.
TEST_F(AskNodes, FindsNoneWhereSlurmHasHiddenThemAndNoLongerAnswers) {
  const auto answer = in_child(denied_, "", [this] {
    const auto found = ask_nodes_and_ports(names_, 5000ms);
    return fmt::format("{} {}", found.size(), hides_nodes());
  });
  EXPECT_EQ(answer, "0 true");
}

TEST_F(AskNodes, AreNotDrainedAsFarAsAUserSeesWhereSlurmHidesThem) {
  const auto count = [this] {
    const auto drained = ask_drained(names_, 5000ms);
    return drained ? fmt::format("{}", drained->size()) : "unknown";
  };
  EXPECT_EQ(in_child(denied_, "", count), "0");
  EXPECT_EQ(in_child("", "", count), "unknown");
  EXPECT_EQ(in_child("NodeName=n1 State=IDLE+DRAIN \nNodeName=n2 State=IDLE \n", "", count), "1");
}

}  // namespace
}  // namespace muster::slurm
