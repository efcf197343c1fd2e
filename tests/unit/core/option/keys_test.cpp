#include "core/option/keys.hpp"

#include "core/option/conversion.hpp"
#include "core/option/key_table.hpp"
#include "core/option/synonyms.hpp"
#include "core/option/value_words.hpp"
#include "fixtures/expect_error.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace muster::option {
namespace {

TEST(Keys, HaveEachAUniqueNameAndAMeaning) {
  std::set<std::string_view> names;
  for (const KeyInfo& key : keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_FALSE(key.meaning.empty()) << key.name;
    EXPECT_EQ(find_key(key.name), &key);
    EXPECT_EQ(&info(key.key), &key);
  }
}

TEST(Keys, AcceptTheirOwnDefaultInEveryRelease) {
  for (const KeyInfo& key : keys()) {
    EXPECT_TRUE(is_available(key, key.default_text)) << key.name;
    const Setting setting{std::string(key.default_text), Origin::option, "test"};
    EXPECT_EQ(canonical(key.key, setting), key.default_text) << key.name;
  }
}

TEST(Keys, SayTheFormOfTheirValue) {
  for (const KeyInfo& key : keys()) EXPECT_EQ(key.form.empty(), key.is_switch) << key.name;
  EXPECT_EQ(info(Key("memory")).form, "local|strict|none");
  EXPECT_EQ(info(Key("port")).form, "N|A-B");
}

// The range is made from the limits that the parser uses, so only its form is tested here.
TEST(Keys, SayTheRangeOfANumberOrATime) {
  EXPECT_EQ(info(Key("restarts")).range, "0 to 1000");
  EXPECT_EQ(info(Key("norestart")).range, "1 to 255 each");
  EXPECT_EQ(info(Key("hang")).range, "5s to 720h");
  EXPECT_EQ(info(Key("port")).range, "1024 to 65535");
  EXPECT_EQ(info(Key("bind")).range, "");
  for (const KeyInfo& key : keys()) {
    EXPECT_TRUE(key.unit.count() == 0 || !key.range.empty()) << key.name;
  }
}

TEST(Keys, HaveTheDefaultOfTheirField) {
  for (const KeyInfo& key : keys()) EXPECT_EQ(key.default_text, value_of(Values{}, key.key));
  EXPECT_EQ(info(Key("memory")).default_text, "local");
  EXPECT_EQ(info(Key("smt")).default_text, "on");
  EXPECT_EQ(info(Key("network")).default_text, "auto");
  EXPECT_EQ(info(Key("restarts")).default_text, "0");
}

TEST(Keys, HaveEachAFieldOfItsOwn) {
  for (const KeyInfo& key : keys()) {
    const std::string free_text = key.name == "port" ? "2000" : key.name == "slow" ? "20" : "200";
    const std::string text = key.words.empty() ? free_text : std::string(key.words.back());
    const std::string other = key.default_text == text ? std::string(key.words.front()) : text;
    const Values values = parse_value(key.key, {other, Origin::option, "test"});
    for (const KeyInfo& each : keys()) {
      const bool is_set = each.key == key.key;
      EXPECT_EQ(value_of(values, each.key), is_set ? other : each.default_text) << each.name;
    }
  }
}

TEST(Keys, ReadEveryWordOfTheirEnum) {
  for (const KeyInfo& key : keys()) {
    for (const std::string_view word : key.words) {
      EXPECT_EQ(canonical(key.key, {std::string(word), Origin::option, "test"}), word) << key.name;
    }
  }
  EXPECT_EQ(to_string(Bind::exclusive), "exclusive");
  EXPECT_EQ(to_string(Memory::none), "none");
}

TEST(KeyNamed, SuggestsTheNearestKey) {
  EXPECT_EQ(
      fixtures::error_of([] { key_named("dryrun", "--distributed"); }),
      "--distributed: unknown key 'dryrun': no option has this name; did you mean 'dry-run'?");
}

TEST(KeyNamed, TakesTheBeginningOfAKeyForTheKey) {
  const std::string error = fixtures::error_of([] { key_named("net", "--distributed"); });
  EXPECT_NE(error.find("did you mean 'network'?"), std::string::npos) << error;
}

TEST(KeyNamed, ListsTheKeysOfThisReleaseWhereNoneIsNear) {
  const std::string error = fixtures::error_of([] { key_named("zzzzzzzz", "x"); });
  for (const KeyInfo& key : keys()) {
    EXPECT_EQ(error.find(key.name) != std::string::npos, key.since != not_yet) << key.name;
  }
}

TEST(KeyNamed, AnswersTorchrunsFlagsBySlurmsOrMustersWord) {
  const auto remedy = [](std::string_view name) {
    const std::string error = fixtures::error_of([&] { key_named(name, "x"); });
    return error.substr(error.find("; ") + 2);
  };
  EXPECT_EQ(remedy("nproc_per_node"),
            "use srun --ntasks-per-node=N; torchrun calls this nproc-per-node");
  EXPECT_EQ(remedy("--nnodes"),
            "use srun --nodes=N, or nodes=MIN:MAX for an elastic size; torchrun calls this nnodes");
  EXPECT_EQ(remedy("master-port"), "use port=N; torchrun calls this master-port");
  EXPECT_EQ(remedy("rdzv_backend"),
            "leave it out: muster finds the nodes and sets up the rendezvous");
  EXPECT_EQ(remedy("max_restarts"), "use restarts=N; torchrun calls this max-restarts");
  EXPECT_EQ(remedy("monitor-interval"),
            "leave it out: muster notices a failure at once, without an interval");
  EXPECT_EQ(remedy("signals_to_handle"),
            "leave it out: muster passes all these signals to the ranks; grace=TIME sets how long "
            "they have to exit");
  EXPECT_EQ(remedy("shutdown-timeout"), "use grace=TIME; torchrun calls this shutdown-timeout");
  EXPECT_EQ(remedy("num_processes"), "use srun --ntasks=N; accelerate calls this num-processes");
}

TEST(KeyNamed, AnswersAMistypedFlagOfTorchrunToo) {
  const std::string error = fixtures::error_of([] { key_named("nproc", "x"); });
  EXPECT_NE(error.find("did you mean nproc-per-node? use srun --ntasks-per-node=N"),
            std::string::npos)
      << error;
}

TEST(KeyNamed, SendsSrunsOptionsToSrun) {
  for (const auto* const name : {"ntasks-per-node", "gpus-per-node", "cpus_per_task", "--time"}) {
    const std::string error = fixtures::error_of([&] { key_named(name, "x"); });
    EXPECT_NE(error.find("this is an srun option: use srun --"), std::string::npos) << error;
  }
}

// Each flag of torchrun 2.x, in its order.
TEST(KeySynonym, AnswersAllOfTorchrunsFlags) {
  for (const auto* const flag : {"nnodes",
                                 "nproc-per-node",
                                 "rdzv-backend",
                                 "rdzv-endpoint",
                                 "rdzv-id",
                                 "rdzv-conf",
                                 "standalone",
                                 "max-restarts",
                                 "monitor-interval",
                                 "start-method",
                                 "event-log-handler",
                                 "role",
                                 "module",
                                 "no-python",
                                 "run-path",
                                 "log-dir",
                                 "redirects",
                                 "tee",
                                 "local-ranks-filter",
                                 "duplicate-stdout-filters",
                                 "duplicate-stderr-filters",
                                 "node-rank",
                                 "master-addr",
                                 "master-port",
                                 "local-addr",
                                 "logs-specs",
                                 "numa-binding",
                                 "signals-to-handle",
                                 "shutdown-timeout",
                                 "virtual-local-rank",
                                 "use-env"}) {
    EXPECT_NE(key_synonym(flag), "") << flag;
  }
}

}  // namespace
}  // namespace muster::option
