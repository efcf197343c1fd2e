#include "core/page/page.hpp"

#include "fixtures/made_up_run.hpp"
#include "fixtures/random_text.hpp"
#include "fixtures/well_formed.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <vector>

#include <gtest/gtest.h>

namespace muster::page {
namespace {

using fixtures::made_up_run;

bool has(const std::string& page, std::string_view part) {
  return page.find(part) != std::string::npos;
}

std::vector<std::string> elements_of(const std::string& page) {
  fixtures::PageReader reader(page);
  EXPECT_EQ(reader.fault(), "");
  return reader.elements();
}

// MUSTER_UPDATE_GOLDEN=1 writes it again; check it in a browser before committing it.
TEST(Page, IsAsItWas) {
  const std::string file = MUSTER_SOURCE_DIR "/tests/unit/core/page/golden.html";
  const auto page = to_html(made_up_run());
  if (std::getenv("MUSTER_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << page;
  std::ifstream from(file);
  const std::string golden{std::istreambuf_iterator<char>(from), {}};
  EXPECT_TRUE(page == golden) << file << " differs; MUSTER_UPDATE_GOLDEN=1 writes it again";
}

TEST(Page, NeedsNothingElse) {
  const auto page = to_html(made_up_run());
  for (const auto* const loaded :
       {"<script", "<link", "<img", "<iframe", "<object", "@import", "url(", " src=", "http:"}) {
    auto own = page;
    // The namespace of XHTML is a name, not an address.
    const auto at = own.find("http://www.w3.org/1999/xhtml");
    ASSERT_NE(at, std::string::npos);
    own.erase(at, std::string_view("http://www.w3.org/1999/xhtml").size());
    EXPECT_FALSE(has(own, loaded)) << loaded;
  }
  EXPECT_TRUE(has(page, "default-src 'none'"));
}

TEST(Page, HasALandmarkAHeadingAndACaptionForEverything) {
  const auto page = to_html(made_up_run());
  const auto elements = elements_of(page);
  const auto count = [&](std::string_view name) {
    return std::ranges::count_if(elements, [&](const std::string& each) {
      return each == name || each.starts_with(std::string(name) + " ");
    });
  };
  EXPECT_EQ(count("h1"), 1);
  EXPECT_EQ(count("main"), 1);
  EXPECT_EQ(count("header"), 1);
  EXPECT_EQ(count("nav"), 1);
  EXPECT_EQ(count("footer"), 1);
  EXPECT_EQ(count("section"), count("h2"));
  EXPECT_EQ(count("table"), count("caption"));
  EXPECT_EQ(count("details"), count("summary"));
  EXPECT_GE(count("section"), 9);
}

// The structure of a page does not depend on any untrusted text.
TEST(Page, StaysWhatItIsWhateverTheTextsAre) {
  const auto plain = elements_of(to_html(made_up_run([](const std::string&) { return "x"; })));
  const std::vector<std::string> pieces{"<script>alert(1)</script>",
                                        "</pre></details>",
                                        "'",
                                        "\"",
                                        "&",
                                        "&lt;",
                                        "-->",
                                        "]]>",
                                        "<!--",
                                        "\x1b[31m",
                                        "\x1b]0;x\a",
                                        "\xff",
                                        "\xc0",
                                        "\u202e",
                                        "\uffff",
                                        " onload=x ",
                                        "javascript:x",
                                        "{}",
                                        "%s",
                                        "\\",
                                        "\x7f",
                                        "\r",
                                        std::string(1, '\0')};
  fixtures::RandomText random(1);
  for (int i = 0; i < 300; ++i) {
    const auto text = "x" + (i % 2 == 0 ? random.pieces(pieces, 6) : random.bytes(30)) + "x";
    // We give a meaning to line breaks, back-quotes and commas: lines, code, lists of hosts.
    std::string one_line;
    std::ranges::copy_if(text, std::back_inserter(one_line),
                         [](char each) { return each != '\n' && each != '`'; });
    const auto page = to_html(made_up_run([&](const std::string&) { return one_line; }));
    ASSERT_EQ(elements_of(page), plain) << ::testing::PrintToString(one_line);
    ASSERT_FALSE(has(page, "<script")) << ::testing::PrintToString(one_line);
  }
}

TEST(Page, IsWellFormedWhereTextsHaveLinesAndBackQuotes) {
  fixtures::RandomText random(2);
  const std::vector<std::string> pieces{"\n", "`", "a", "\t", "\r\n", "<b>"};
  for (int i = 0; i < 100; ++i) {
    const auto text = random.pieces(pieces, 9);
    const auto run = made_up_run([&](const std::string&) { return text; });
    ASSERT_EQ(fixtures::fault_of_page(to_html(run)), "") << ::testing::PrintToString(text);
  }
}

TEST(Page, SaysAtItsTopHowItEndedWhereWhenHowLongAndWhatToDo) {
  const auto page = to_html(made_up_run());
  const auto top =
      page.substr(page.find("<header>"), page.find("</header>") - page.find("<header>"));
  EXPECT_TRUE(has(top, "Failed, exit code 1"));
  EXPECT_TRUE(has(top, "<h1>./train.py --epochs 3</h1>"));
  EXPECT_TRUE(has(top, "job 42"));
  EXPECT_TRUE(has(top, "rank 3</a> on <a href='#node-node2'>node2</a>, local rank 1, pid 4703"));
  EXPECT_TRUE(has(top, "2026-01-01 00:00:30 UTC"));
  EXPECT_TRUE(has(top, "10.0 s after the launch"));
  EXPECT_TRUE(has(top, "33.0 s in 2 attempts"));
  EXPECT_TRUE(has(top, "4 ranks on 2 nodes"));
  EXPECT_TRUE(has(top, "Read the traceback below"));
}

TEST(Page, KeepsItsTopToOneScreen) {
  const auto page =
      to_html(made_up_run([](const std::string& text) { return text + std::string(5000, 'x'); }));
  const auto top =
      page.substr(page.find("<header>"), page.find("</header>") - page.find("<header>"));
  const auto lead = top.substr(top.find("<p class='lead'>"));
  EXPECT_LT(lead.find("</p>"), 400U);
  EXPECT_TRUE(has(lead, "xxx...</p>"));
}

TEST(Page, HasTheStacksOfEachAttempt) {
  const auto page = to_html(made_up_run());
  EXPECT_LT(page.find("id='attempt-1'"), page.find("id='attempt-0'"));
  EXPECT_TRUE(has(page, "<pre tabindex='0'>Traceback:\n\tboom</pre>"));
  EXPECT_TRUE(has(page, "<a href='./42.0-attempt-0/rank-3.err'>"));
}

TEST(Page, ShowsWhatARankSaidBelowItsStackAtASignal) {
  auto run = made_up_run();
  auto& first = *run.folders.back().report->report.first;
  first.end.wait_status = SIGABRT;
  first.end.exception->traceback = "Traceback:\n\tmain";
  EXPECT_TRUE(has(to_html(run), "<pre tabindex='0'>Traceback:\n\tmain\nRuntimeError: boom</pre>"));
}

TEST(Page, LinksNothingWhereItLiesElsewhere) {
  auto run = made_up_run();
  for (auto& folder : run.folders) folder.link.clear();
  EXPECT_FALSE(has(to_html(run), "href='./"));
}

TEST(Page, OfARunThatGoesOnSaysSo) {
  auto run = made_up_run();
  run.folders.back().report.reset();
  run.folders.back().tails.clear();
  const auto page = to_html(run);
  EXPECT_EQ(fixtures::fault_of_page(page), "");
  EXPECT_TRUE(has(page, "Still running, as far as the files show"));
  EXPECT_TRUE(has(page, "A rank last wrote 59 min 51 s before this page was made."));
  EXPECT_TRUE(has(page, "muster status"));
  EXPECT_TRUE(has(page, "id='attempt-0'"));
}

TEST(Page, OfADamagedReportDoesNotTakeTheRunForOneThatGoesOn) {
  auto run = made_up_run();
  run.folders.back().report.reset();
  run.folders.back().damaged = true;
  const auto page = to_html(run);
  EXPECT_EQ(fixtures::fault_of_page(page), "");
  EXPECT_TRUE(has(page, "How it ended is unknown"));
  EXPECT_FALSE(has(page, "Not over"));
}

TEST(Page, OfAFolderWithRanksFilesOnlyShowsThem) {
  page::Run run;
  run.folders.emplace_back();
  run.folders.back().name = "x";
  run.folders.back().files[7] = {OutputFile{5, {}}, {}};
  const auto page = to_html(run);
  EXPECT_EQ(fixtures::fault_of_page(page), "");
  EXPECT_TRUE(has(page, "Ranks on unknown node"));
  EXPECT_TRUE(has(page, "5 B"));
}

TEST(Page, OfSuccessHasNoFailures) {
  auto run = made_up_run();
  run.folders.erase(run.folders.begin());
  auto& report = run.folders.back().report->report;
  report.attempts.erase(report.attempts.begin());
  report.result = report.attempts.back().result = report::Result::ok;
  report.cause.reset();
  report.first.reset();
  const auto page = to_html(run);
  EXPECT_EQ(fixtures::fault_of_page(page), "");
  EXPECT_TRUE(has(page, "Succeeded"));
  EXPECT_FALSE(has(page, "id='failures'"));
}

// Without the headings that the cells of a wide table repeat for narrow screens.
std::string start_of_page(const std::string& page) {
  const auto begin = page.find("<section id='start'");
  const auto section = page.substr(begin, page.find("</section>", begin) - begin);
  return std::regex_replace(section, std::regex(" data-of='[^']*'"), "");
}

TEST(Page, HasTheHeadingInEachCellOfAWideTableOnly) {
  const auto page = to_html(made_up_run());
  EXPECT_TRUE(has(page, "<td data-of='State'>"));
  EXPECT_FALSE(has(page, "data-of='How many'"));
}

TEST(Page, NamesWhoEveryPhaseOfTheStartWaitedFor) {
  const auto start = start_of_page(to_html(made_up_run()));
  // The agents: node2 started last, and the two met within 200 ms.
  EXPECT_TRUE(
      has(start,
          "The agents' rendezvous took 200 ms: node1 arrived first, node2 last (100 ms later), "
          "and all had met 100 ms after that."));
  EXPECT_TRUE(has(start, "<th scope='row'>Agents had met</th><td class='n'>800 ms</td>"));
  // The ranks: their times count from 800 ms after the launch, when the agents had met.
  EXPECT_TRUE(has(start,
                  "4 ranks using libmuster connected over PMIx. The first began 1.1 s after the "
                  "launch, and all had finished 942 ms later."));
  EXPECT_TRUE(has(start, "rank 2 on node2 arrived last, 700 ms after the first"));
  EXPECT_TRUE(has(
      start,
      "<th scope='row'>exchange &#39;address&#39;</th><td class='n'>4</td><td class='n'>189 ms</td>"
      "<td class='n'>884 ms</td><td class='n'>889 ms</td><td>rank 2 on node2</td>"));
  EXPECT_TRUE(has(start, "<td class='n'>1.8 s</td><td>rank 2 on node2</td>"));
}

TEST(Page, OfARunWithoutAReportCountsTheStartFromTheAgentsRendezvous) {
  auto run = made_up_run();
  run.folders.back().report.reset();
  const auto page = to_html(run);
  EXPECT_EQ(fixtures::fault_of_page(page), "");
  EXPECT_TRUE(has(
      page, "The first began 300 ms after the agents had met, and all had finished 942 ms later."));
  EXPECT_FALSE(has(page, "Agents had met"));
}

TEST(Page, SaysNothingOfAStartThatNobodyHasTold) {
  auto run = made_up_run();
  auto& folder = run.folders.back();
  folder.bootstraps.clear();
  for (auto& node : folder.report->report.nodes) node.agent.reset();
  const auto start = start_of_page(to_html(run));
  EXPECT_TRUE(has(start, "The first rank was up 1.0 s after the launch"));
  for (const auto* const absent : {"rendezvous", "Bootstrap", "<h3>", "class='bar area'"}) {
    EXPECT_FALSE(has(start, absent)) << absent;
  }
  folder.report->report.nodes.clear();
  EXPECT_FALSE(has(to_html(run), "id='start'"));
}

TEST(Page, OfVeryManyRanksHasPicturesOfTheSameSize) {
  auto run = made_up_run();
  auto& folder = run.folders.back();
  const auto few = start_of_page(to_html(run)).size();
  for (std::uint32_t rank = 4; rank < 16384; ++rank) {
    folder.bootstraps[rank] = fixtures::made_up_bootstrap(
        "node2", std::chrono::milliseconds(rank % 89), [](std::string text) { return text; });
  }
  const auto page = to_html(run);
  EXPECT_EQ(fixtures::fault_of_page(page), "");
  EXPECT_LT(start_of_page(page).size(), few + 30000);
  EXPECT_TRUE(has(page, "16384 ranks using libmuster"));
  EXPECT_TRUE(has(page, "rank 2 on node2 arrived last, 700 ms after the first"));
}

TEST(Page, CountsThePhasesForWhichThereIsNoRoom) {
  auto run = made_up_run();
  auto& phases = run.folders.back().bootstraps.at(0).phases;
  for (int i = 0; i < 50; ++i) {
    phases.push_back(phases.back());
    phases.back().failed = i == 0;
  }
  const auto start = start_of_page(to_html(run));
  EXPECT_TRUE(has(start, "<li class='soft'>31 more phases</li>"));
  EXPECT_TRUE(has(start, "; failed on 1 rank"));
}

// 2048 nodes and 100 attempts give a page that a browser can open.
TEST(Page, OfALargeRunIsBounded) {
  auto run = made_up_run();
  auto& folder = run.folders.back();
  auto& plan = *folder.plan;
  while (plan.nodes.size() < 4096) {
    auto node = plan.nodes.front();
    node.node = fmt::format("n{}", plan.nodes.size());
    for (auto& task : node.tasks) task.rank += static_cast<std::uint32_t>(2 * plan.nodes.size());
    node.tasks.resize(8, node.tasks.front());
    plan.nodes.push_back(std::move(node));
  }
  auto& attempts = folder.report->report.attempts;
  while (attempts.size() < 2000) attempts.push_back(attempts.back());
  const auto page = to_html(run);
  EXPECT_EQ(fixtures::fault_of_page(page), "");
  EXPECT_LT(page.size(), std::size_t{12} << 20);
  EXPECT_TRUE(has(page, "plan.json has "));
  EXPECT_TRUE(has(page, "1900 attempts more") || has(page, "attempts more"));
}

}  // namespace
}  // namespace muster::page
