#include "core/slurm/hostlist.hpp"

#include "fixtures/expect_error.hpp"
#include "fixtures/random_text.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

using Names = std::vector<std::string>;

std::string error_for(std::string_view text) {
  return fixtures::error_of([&] { expand_hostlist(text); });
}

TEST(Hostlist, IsOneNameOrSeveral) {
  EXPECT_EQ(expand_hostlist("node1"), Names{"node1"});
  EXPECT_EQ(expand_hostlist("b,a,b"), (Names{"b", "a", "b"}));
  EXPECT_EQ(expand_hostlist("login-1.example.org"), Names{"login-1.example.org"});
}

TEST(Hostlist, ExpandsRangesInTheirOrder) {
  EXPECT_EQ(expand_hostlist("node[1-3,7]"), (Names{"node1", "node2", "node3", "node7"}));
  EXPECT_EQ(expand_hostlist("node[7,1-2]"), (Names{"node7", "node1", "node2"}));
  EXPECT_EQ(expand_hostlist("node[5-5]"), Names{"node5"});
  EXPECT_EQ(expand_hostlist("a[1-2],b,c[3]"), (Names{"a1", "a2", "b", "c3"}));
  EXPECT_EQ(expand_hostlist("[1-2]"), (Names{"1", "2"}));
}

TEST(Hostlist, KeepsLeadingZeros) {
  EXPECT_EQ(expand_hostlist("n[08-11]"), (Names{"n08", "n09", "n10", "n11"}));
  EXPECT_EQ(expand_hostlist("n[098-101]"), (Names{"n098", "n099", "n100", "n101"}));
  EXPECT_EQ(expand_hostlist("n[8-11]"), (Names{"n8", "n9", "n10", "n11"}));
  EXPECT_EQ(expand_hostlist("n[001,2,03]"), (Names{"n001", "n2", "n03"}));
  EXPECT_EQ(expand_hostlist("n[0000000000000000000001]"), Names{"n0000000000000000000001"});
}

TEST(Hostlist, KeepsWhatFollowsABracket) {
  EXPECT_EQ(expand_hostlist("n[1-2]-ib"), (Names{"n1-ib", "n2-ib"}));
  EXPECT_EQ(expand_hostlist("n[1-2].example.org"), (Names{"n1.example.org", "n2.example.org"}));
}

TEST(Hostlist, LetsTheLastOfSeveralBracketsRunFastest) {
  EXPECT_EQ(expand_hostlist("rack[0-1]node[2-3]-ib"),
            (Names{"rack0node2-ib", "rack0node3-ib", "rack1node2-ib", "rack1node3-ib"}));
  EXPECT_EQ(expand_hostlist("[1-2][3-4]"), (Names{"13", "14", "23", "24"}));
}

TEST(Hostlist, OrdersThreeBracketsAsSlurmDoes) {
  EXPECT_EQ(expand_hostlist("a[1-2]b[3-4]c[5-6]"), (Names{"a1b3c5", "a1b3c6", "a2b3c5", "a2b3c6",
                                                          "a1b4c5", "a1b4c6", "a2b4c5", "a2b4c6"}));
}

TEST(Hostlist, ReachesTheLargestNumbersAndEndsThere) {
  EXPECT_EQ(expand_hostlist("n[18446744073709551614-18446744073709551615]"),
            (Names{"n18446744073709551614", "n18446744073709551615"}));
}

TEST(Hostlist, SaysWhatIsWrongAndHowItShouldLook) {
  EXPECT_EQ(error_for("node[1-3"),
            "cannot read the host list 'node[1-3': a bracket is not closed; it should look like "
            "node[1-3,7]");
  EXPECT_NE(error_for("n[3-1]").find("a range runs backwards"), std::string::npos);
  EXPECT_NE(error_for("n]1").find("a ']' has no matching '['"), std::string::npos);
  EXPECT_NE(error_for("").find("a name is empty"), std::string::npos);
}

TEST(Hostlist, RefusesWhatSlurmDoesNotWrite) {
  for (const auto* const text : {",",
                                 "a,",
                                 ",a",
                                 "a,,b",
                                 "n[]",
                                 "n[1-]",
                                 "n[-1]",
                                 "n[1,]",
                                 "n[,1]",
                                 "n[a]",
                                 "n[1 ]",
                                 "n[0x1]",
                                 "n[1-2-3]",
                                 "n[[1]]",
                                 "n[1]]",
                                 "n[1",
                                 "[",
                                 "]",
                                 "n[+1]",
                                 "n[1.5]",
                                 "n[99999999999999999999]",
                                 "n[1-99999999999999999999]"}) {
    EXPECT_TRUE(fixtures::is_one_line(error_for(text))) << text;
  }
}

TEST(Hostlist, KeepsControlCharactersOutOfItsMessage) {
  EXPECT_TRUE(fixtures::is_one_line(error_for("a\n\x1b[2J\x7f]")));
  EXPECT_LT(error_for("n[" + std::string(100'000, '1')).size(), 300U);
}

TEST(Hostlist, HoldsAsManyNamesAsTheLargestClusterAndNoMore) {
  EXPECT_EQ(expand_hostlist("n[1-262144]").size(), max_hosts);
  EXPECT_EQ(expand_hostlist("r[1-512]n[1-512]").size(), max_hosts);
  for (const auto* const text :
       {"n[1-262145]", "r[1-512]n[1-513]", "n[0-18446744073709551615]", "n[1-262144],m",
        "n[1-200000,1-200000]", "[1-9999][1-9999][1-9999][1-9999][1-9999][1-9999]"}) {
    EXPECT_NE(error_for(text).find("too many hosts"), std::string::npos) << text;
  }
}

TEST(Hostlist, RefusesNamesThatNoHostCanHave) {
  // Each is short to write but would expand to gigabytes.
  EXPECT_NE(error_for("n[" + std::string(100'000, '0') + "1-99999]").find("too long"),
            std::string::npos);
  EXPECT_NE(error_for(std::string(100'000, 'n') + "[1-99999]").find("too long"), std::string::npos);
  EXPECT_NO_THROW(expand_hostlist(std::string(250, 'n') + "[1-9]"));
}

TEST(Hostlist, IsCompressedInItsOrder) {
  const auto compressed = [](const std::vector<std::string>& names) {
    return compress_hostlist(names);
  };
  EXPECT_EQ(compressed({}), "");
  EXPECT_EQ(compressed({"n1"}), "n1");
  EXPECT_EQ(compressed({"n1", "n2", "n4", "login", "n3"}), "n[1-2,4],login,n3");
  EXPECT_EQ(compressed({"n08", "n09", "n10", "n011", "n9", "n10"}), "n[08-10,011,9,10]");
  EXPECT_EQ(compressed({"r1n1", "r1n2", "r2n1", "r2n2-ib"}), "r1n[1-2],r2n1,r2n2-ib");
  EXPECT_EQ(compressed({"1", "2", "n0123456789"}), "1,2,n0123456789");
}

TEST(Hostlist, IsTheSameAfterCompression) {
  fixtures::RandomText random(2);
  const std::vector<std::string> pieces{"n", "rack", "1", "23", "-", "007", "9", "99", "-ib"};
  for (int i = 0; i < 2'000; ++i) {
    std::vector<std::string> names;
    for (int k = 0; k < 6; ++k) names.push_back("n" + random.pieces(pieces, 3));
    ASSERT_EQ(expand_hostlist(compress_hostlist(names)), names) << compress_hostlist(names);
  }
}

TEST(Hostlist, IsNamesOrAnErrorWhateverTheText) {
  fixtures::RandomText random(1);
  const std::vector<std::string> pieces{"n",   "[",  "]",     "1",  "23",   "-",   ",",
                                        "007", "ib", "[1-3]", "\n", "\xFF", "-ib", "[08-10,2]"};
  for (int i = 0; i < 20'000; ++i) {
    const auto text = i % 4 == 0 ? random.bytes(30) : random.pieces(pieces, 9);
    try {
      for (const auto& name : expand_hostlist(text)) {
        ASSERT_FALSE(name.empty()) << text;
        ASSERT_EQ(name.find_first_of("[],"), std::string::npos) << text;
      }
    } catch (const Error& error) {
      ASSERT_TRUE(fixtures::is_one_line(error.what())) << error.what();
    }
  }
}

}  // namespace
}  // namespace muster::slurm
