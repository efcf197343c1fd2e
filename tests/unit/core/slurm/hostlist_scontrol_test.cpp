// Compares our host lists with Slurm's own parser: `scontrol show hostnames` on thousands of generated lists.
// Needs no running Slurm, only the program; skipped if it is missing.
#include "core/slurm/hostlist.hpp"
#include "fixtures/random_text.hpp"
#include "fixtures/scratch_directory.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

using Names = std::vector<std::string>;

class Scontrol {
 public:
  Scontrol() : conf_(scratch_.write("slurm.conf", "ClusterName=c\nSlurmctldHost=localhost\n")) {}

  // Empty if scontrol is missing or refuses the list.
  [[nodiscard]] std::optional<Names> hostnames(const std::string& list) const {
    const auto command =
        fmt::format("SLURM_CONF={} scontrol show hostnames '{}' 2>/dev/null", conf_, list);
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    Names names;
    std::string name;
    for (int letter = 0; pipe && (letter = std::fgetc(pipe.get())) != EOF;) {
      if (letter != '\n') {
        name += static_cast<char>(letter);
      } else {
        names.push_back(std::exchange(name, {}));
      }
    }
    if (names.empty()) return std::nullopt;
    return names;
  }

 private:
  fixtures::ScratchDirectory scratch_;
  std::string conf_;
};

class Generator {
 public:
  // `suffixes`: text may follow the last bracket, which Slurm accepts from 23.02 on.
  explicit Generator(bool suffixes) : suffixes_(suffixes) {}

  std::string list() {
    std::string text = item();
    for (std::size_t more = random_.below(4); more > 0; --more) text += ',' + item();
    return text;
  }

 private:
  std::string item() {
    const std::size_t brackets = random_.below(4);
    std::string text = random_.pick(words_);
    for (std::size_t i = 0; i < brackets; ++i) {
      text += '[' + spans() + ']';
      if (i + 1 < brackets || suffixes_) text += random_.pick(between_);
    }
    return text;
  }

  std::string spans() {
    std::string text = span();
    for (std::size_t more = random_.below(3); more > 0; --more) text += ',' + span();
    return text;
  }

  std::string span() {
    const auto low = random_.below(random_.below(2) == 0 ? 12 : 1200);
    const auto text = fmt::format("{:0{}}", low, 1 + random_.below(4));
    const auto high = low + random_.below(3);
    return random_.below(2) == 0 ? text : fmt::format("{}-{:0{}}", text, high, text.size());
  }

  fixtures::RandomText random_{7};
  bool suffixes_;
  Names words_{"n", "node", "rack", "gpu-a", "n0", "x12y", "c3-", "login.example", "N_"};
  Names between_{"", "", "node", "-", "-ib", "0", "x", ".b"};
};

TEST(HostlistOfSlurm, IsReadTheSameByUs) {
  const Scontrol scontrol;
  if (!scontrol.hostnames("n[1-2]")) GTEST_SKIP() << "no scontrol here";
  Generator generator(scontrol.hostnames("n[1-2]-ib").has_value());
  constexpr int calls = 40;
  constexpr int lists_in_a_call = 100;
  for (int call = 0; call < calls; ++call) {
    std::string text = generator.list();
    for (int i = 1; i < lists_in_a_call; ++i) text += ',' + generator.list();
    const auto expected = scontrol.hostnames(text);
    ASSERT_TRUE(expected) << "scontrol refuses " << text;
    ASSERT_EQ(expand_hostlist(text), *expected) << text;
  }
}

TEST(HostlistOfSlurm, IsRefusedWhereSlurmRefusesIt) {
  const Scontrol scontrol;
  if (!scontrol.hostnames("n[1-2]")) GTEST_SKIP() << "no scontrol here";
  for (const auto* const text :
       {"n[]", "n[1,]", "n[,1]", "n[3-1]", "n[1--2]", "n[a-c]", "n[0x1]", "n[[1-2]]", "n[1-2]]"}) {
    EXPECT_FALSE(scontrol.hostnames(text)) << text;
    EXPECT_ANY_THROW(slurm::expand_hostlist(text)) << text;
  }
}

}  // namespace
}  // namespace muster::slurm
