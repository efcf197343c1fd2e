#include "core/cpuset.hpp"

#include "core/error.hpp"

#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(CpuSetText, ReadsAndWritesTheListSyntaxOfTheKernel) {
  EXPECT_EQ(CpuSet::parse("0-7,64-71").count(), 16u);
  EXPECT_EQ(CpuSet::parse("0-7,64-71").to_string(), "0-7,64-71");
  EXPECT_EQ(CpuSet::parse("5").to_string(), "5");
  EXPECT_EQ(CpuSet::parse(" 0,2\n").to_string(), "0,2");
}

TEST(CpuSetText, JoinsNeighboursAndSortsWhatItRead) {
  EXPECT_EQ(CpuSet::parse("9,3,4,5,0-1,2").to_string(), "0-5,9");
  EXPECT_EQ(CpuSet::parse("1,1,1-1").to_string(), "1");
}

TEST(CpuSetText, TakesNothingForTheEmptySet) {
  EXPECT_TRUE(CpuSet::parse("").empty());
  EXPECT_TRUE(CpuSet::parse(" \n").empty());
  EXPECT_EQ(CpuSet{}.to_string(), "");
}

TEST(CpuSetText, RefusesWhatIsNotAListAndSaysHowToWriteOne) {
  for (const std::string bad : {"a", "0-", "-1", "1--2", "0,", ",0", "0,,1", "3-1", "65536",
                                "0-65536", "99999999999999999999", "0x1", "1 2", "+1", "0-7-9"}) {
    try {
      CpuSet::parse(bad);
      FAIL() << bad << " was accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("0-7,64-71"), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
}

TEST(CpuSetText, HasRoomForTheLargestIndex) {
  EXPECT_EQ(CpuSet::parse("0-65535").count(), 65536u);
  EXPECT_EQ(CpuSet::parse("65535").to_string(), "65535");
  EXPECT_THROW(CpuSet{65536}, Error);
  EXPECT_THROW(CpuSet::range(0, 65536), Error);
}

TEST(CpuSetWords, AreTheMaskThatTheKernelTakes) {
  EXPECT_EQ(CpuSet::parse("0-1,63,64").words(),
            (std::vector<std::uint64_t>{0x8000000000000003, 1}));
  EXPECT_TRUE(CpuSet{}.words().empty());
}

TEST(CpuSetWords, ComeBackAsTheSameSet) {
  const CpuSet set = CpuSet::parse("3,100-130");
  EXPECT_EQ(CpuSet::from_words(set.words()), set);
  EXPECT_EQ(CpuSet::from_words(std::vector<std::uint64_t>{1, 0, 0}), CpuSet{0});
  EXPECT_THROW(CpuSet::from_words(std::vector<std::uint64_t>(1025)), Error);
}

TEST(CpuSetAlgebra, EqualSetsAreEqualHoweverTheyWereMade) {
  CpuSet set{1, 200};
  set.remove(200);
  EXPECT_EQ(set, CpuSet{1});
  EXPECT_EQ(CpuSet({1, 200}) & CpuSet({1}), CpuSet{1});
  EXPECT_EQ(CpuSet({1, 200}) - CpuSet({200}), CpuSet{1});
}

TEST(CpuSetAlgebra, RemovingWhatIsNotThereChangesNothing) {
  CpuSet set{1};
  set.remove(70000);
  set.remove(2);
  EXPECT_EQ(set, CpuSet{1});
}

std::set<unsigned> members(const CpuSet& set) {
  return {set.begin(), set.end()};
}

TEST(CpuSetAlgebra, AgreesWithOrdinarySetsOnRandomInput) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    CpuSet a;
    CpuSet b;
    for (int i = 0; i < 40; ++i) {
      a.add(static_cast<unsigned>(random() % 200));
      b.add(static_cast<unsigned>(random() % 140));
    }
    std::set<unsigned> both;
    std::set<unsigned> either = members(a);
    std::set<unsigned> only_a;
    for (const unsigned index : members(a)) (b.contains(index) ? both : only_a).insert(index);
    for (const unsigned index : b) either.insert(index);
    EXPECT_EQ(members(a & b), both);
    EXPECT_EQ(members(a | b), either);
    EXPECT_EQ(members(a - b), only_a);
    EXPECT_EQ(a.intersects(b), !both.empty());
    EXPECT_EQ(a.includes(b), both.size() == b.count());
    EXPECT_EQ(CpuSet::parse(a.to_string()), a);
    EXPECT_EQ(a.count(), members(a).size());
  }
}

}  // namespace
}  // namespace muster
