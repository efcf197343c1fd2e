#include "core/dump/text.hpp"

#include "core/dump/json.hpp"
#include "core/dump/ranks.hpp"
#include "core/error.hpp"
#include "core/text/json.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "made_up_looks.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace muster::dump {
namespace {

Dump dump_of(std::uint32_t ranks, Looks looks) {
  auto dump = make_dump({"42.0", ranks, {}}, std::move(looks));
  dump.time = std::chrono::system_clock::time_point(std::chrono::seconds(1700000000));
  return dump;
}

Looks hung_step() {
  Looks looks;
  for (std::uint32_t rank = 0; rank < 512; ++rank) {
    if (rank == 77) continue;
    const bool loads = rank == 300 || rank == 301;
    looks.processes.push_back(
        look(rank, loads ? in_data_loading : in_all_reduce, rank == 12 ? 'T' : 'S'));
  }
  looks.remarks = {{"node5", "no full answer within 10 s"}};
  return looks;
}

TEST(Screen, ShowsWhoIsSilentWhoIsSuspectAndWhoWaits) {
  EXPECT_EQ(screen(dump_of(512, hung_step()), "muster-dump-42.0-20231114-221320"),
            R"(step 42.0: 512 of 512 ranks, 4 groups, 2023-11-14 22:13:20 UTC
node5: no full answer within 10 s
SILENT rank 77
  no answer
SILENT rank 12 (on node1, process 1012)
  stopped by a signal (state T)
    all_reduce (distributed_c10d.py:2501)
SUSPECT ranks 300-301 (the first on node19, process 1300)
  waiting
    read (data.py:7)
    main (train.py:86)
WAITING ranks 0-11,13-76,78-299,302-511 (the first on node1, process 1000)
  waiting
    all_reduce (distributed_c10d.py:2501)
    step (train.py:31)
    main (train.py:88)
all stacks: muster-dump-42.0-20231114-221320
)");
}

void expect_one_screen(const std::string& text) {
  const auto lines = text::split(text.substr(0, text.size() - 1), '\n');
  EXPECT_LE(lines.size(), max_screen_lines) << text;
  for (const auto line : lines) {
    EXPECT_LE(std::ranges::count_if(line, text::starts_character), 80) << line;
  }
}

TEST(Screen, IsOneScreenWhateverTheRanksDo) {
  std::mt19937 random(15);
  for (int round = 0; round < 50; ++round) {
    Looks looks;
    for (std::uint32_t rank = 0; rank < 512; ++rank) {
      auto process = look(rank,
                          {{std::string(random() % 200, 'f'), "/a/train.py",
                            static_cast<std::uint32_t>(random() % (1 + round))},
                           {"main", "/a/train.py", 3}},
                          "STDR"[random() % 4]);
      process.second.wait = std::string(random() % 3, 'w');
      process.second.cpu_ms = random() % 2000;
      looks.processes.push_back(process);
      process.parent = process.pid++;
      looks.processes.push_back(process);
      looks.remarks.push_back({process.node, std::string(150, "abcdefgh"[random() % 8])});
    }
    expect_one_screen(screen(dump_of(520, looks), std::string(300, 'd')));
  }
}

TEST(Screen, SaysThatAProgramAtWorkMoves) {
  Looks looks;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    auto process = look(rank, in_all_reduce);
    if (rank > 0) process.second.threads = main_thread(in_data_loading);
    looks.processes.push_back(process);
  }
  EXPECT_NE(
      screen(dump_of(4, looks), "")
          .find("3 of 4 ranks moved between the two samples: the program may just be working\n"),
      std::string::npos);
}

TEST(Screen, NamesAChildThatStandsStill) {
  auto worker = look(1, in_data_loading, 'T');
  worker.parent = 1001;
  worker.pid = 1777;
  Looks looks;
  looks.processes = {look(0, in_all_reduce), look(1, in_all_reduce), worker};
  EXPECT_NE(screen(dump_of(2, looks), "")
                .find("CHILDREN of rank 1: 1 python3 (process 1777 on node1): stopped by a signal"),
            std::string::npos);
}

TEST(FullText, HasWholeStacksAndAllRanks) {
  const auto text = full_text(dump_of(512, hung_step()));
  EXPECT_NE(text.find("WAITING ranks 0-11,13-76,78-299,302-511"), std::string::npos);
  EXPECT_NE(text.find("site-packages/torch/distributed/distributed_c10d.py:2501"),
            std::string::npos);
}

TEST(RankText, HasBothLooksAtEachProcess) {
  const auto text = rank_text(dump_of(512, hung_step()), 300);
  EXPECT_NE(text.find("rank 300, process 1300 (python3) on node19, stacks by py-spy\n"),
            std::string::npos);
  EXPECT_NE(text.find("1000 ms later, with the same stacks: state S"), std::string::npos);
  EXPECT_NE(text.find("read (/home/alice/data.py:7)"), std::string::npos);
}

TEST(Json, HasTheGroupsAndEveryProcess) {
  const auto json = text::parse_json(to_json(dump_of(512, hung_step())));
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("time"), "2023-11-14T22:13:20Z");
  EXPECT_EQ(json.at("groups").at(2).at("standing"), "suspect");
  EXPECT_EQ(json.at("groups").at(2).at("ranks"), nlohmann::json({300, 301}));
  EXPECT_EQ(json.at("processes").size(), 511U);
}

TEST(Screen, ShowsOfNcclWhatTellsOfAFaultAndTheFilesShowAll) {
  Looks looks;
  looks.processes = {look(0, in_all_reduce), look(1, in_all_reduce)};
  looks.ras = {{"node1", "Job summary"}, {"node1", "communicator 1 MISMATCH"}};
  const auto dump = make_dump({"42.0", 2, {}}, std::move(looks));
  EXPECT_NE(screen(dump, "").find("NCCL: communicator 1 MISMATCH"), std::string::npos);
  EXPECT_EQ(screen(dump, "").find("Job summary"), std::string::npos);
  EXPECT_NE(full_text(dump).find("NCCL: Job summary"), std::string::npos);
}

TEST(RanksText, IsCutWhereItIsLong) {
  const std::vector<std::uint32_t> ranks{0, 1, 2, 5, 7, 9, 11};
  EXPECT_EQ(ranks_text(ranks, 80), "0-2,5,7,9,11");
  EXPECT_EQ(ranks_text(ranks, 10), "0-2,5,... (7 in all)");
}

TEST(RanksOf, ReadsWhatRanksTextWrites) {
  const auto ranks = ranks_of("7,0-3");
  EXPECT_EQ(ranks, (std::set<std::uint32_t>{0, 1, 2, 3, 7}));
  const std::vector<std::uint32_t> ascending(ranks.begin(), ranks.end());
  EXPECT_EQ(ranks_of(ranks_text(ascending, 1000)), ranks);
}

TEST(RanksOf, RefusesWhatIsNoListOfRanks) {
  for (const auto* const text : {"a", "3-1", "1,,2", "-1", "1-", "0-99999999", "1 2"}) {
    EXPECT_THROW(ranks_of(text), Error) << text;
  }
}

}  // namespace
}  // namespace muster::dump
