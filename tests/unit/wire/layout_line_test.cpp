#include "wire/layout_line.hpp"

#include "fixtures/allocation_meter.hpp"
#include "fixtures/random_text.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::wire {
namespace {

using Mapping = std::vector<std::uint32_t>;

Mapping block(std::uint32_t nodes, std::uint32_t each) {
  Mapping mapping;
  for (std::uint32_t node = 0; node < nodes; ++node) mapping.insert(mapping.end(), each, node);
  return mapping;
}

// `plane` ranks to each node in turn, until every node has `each`.
Mapping plane(std::uint32_t nodes, std::uint32_t each, std::uint32_t plane) {
  Mapping mapping;
  for (std::uint32_t done = 0; done < each; done += plane) {
    for (std::uint32_t node = 0; node < nodes; ++node) {
      mapping.insert(mapping.end(), std::min(plane, each - done), node);
    }
  }
  return mapping;
}

Mapping uneven(fixtures::RandomText& random, std::uint32_t nodes) {
  Mapping mapping;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    mapping.insert(mapping.end(), 1 + random.below(5), node);
  }
  return mapping;
}

Mapping arbitrary(fixtures::RandomText& random, std::uint32_t nodes) {
  Mapping mapping(1 + random.below(60));
  for (auto& node : mapping) node = static_cast<std::uint32_t>(random.below(nodes));
  return mapping;
}

Mapping any(fixtures::RandomText& random) {
  const auto nodes = static_cast<std::uint32_t>(1 + random.below(20));
  const auto each = static_cast<std::uint32_t>(1 + random.below(9));
  switch (random.below(5)) {
    case 0:
      return block(nodes, each);
    case 1:
      return plane(nodes, each, 1);
    case 2:
      return plane(nodes, each, static_cast<std::uint32_t>(1 + random.below(4)));
    case 3:
      return uneven(random, nodes);
    default:
      return arbitrary(random, nodes);
  }
}

TEST(MappingText, GivesBackEveryDistribution) {
  fixtures::RandomText random(1);
  for (int i = 0; i < 10'000; ++i) {
    const auto mapping = any(random);
    const auto text = encode_mapping(mapping);
    const auto read = decode_mapping(text);
    ASSERT_TRUE(read) << text;
    ASSERT_EQ(*read, mapping) << text;
  }
}

TEST(MappingText, IsShortForTheDistributionsThatPeopleUse) {
  EXPECT_EQ(encode_mapping(block(16384, 8)), "0+16384x8");
  EXPECT_EQ(encode_mapping(plane(16384, 8, 1)), "0+16384x1*8");
  EXPECT_EQ(encode_mapping(plane(16384, 8, 2)), "0+16384x2*4");
  EXPECT_EQ(encode_mapping({0}), "0+1x1");
  EXPECT_EQ(encode_mapping({0, 0, 0, 1, 1}), "0+1x3,1+1x2");
  EXPECT_EQ(encode_mapping({2, 0, 1}), "2+1x1,0+2x1");
  EXPECT_EQ(encode_mapping({}), "");
}

TEST(MappingText, GivesBackTheLargestSteps) {
  for (const auto& mapping : {block(16384, 8), plane(16384, 8, 1), block(max_tasks, 1)}) {
    const auto read = decode_mapping(encode_mapping(mapping));
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, mapping);
  }
}

TEST(MappingText, IsRefusedWhenMalformed) {
  for (const auto* const text : {"",          ",",      "0",      "0+1",          "0+1x",
                                 "x",         "0+1x1,", ",0+1x1", "0+1x1,,1+1x1", "0+1x1*",
                                 "0+1x1*0",   "0+0x1",  "0+1x0",  "-1+1x1",       "0+-1x1",
                                 "+0+1x1",    " 0+1x1", "0+1x1 ", "0 +1x1",       "0+1x1x1",
                                 "0+1x1*2*2", "0x1+1",  "a+1x1",  "0+1x1;1+1x1",  "0+1x1\n",
                                 "0+1x0x1"}) {
    EXPECT_FALSE(decode_mapping(text)) << text;
  }
}

TEST(MappingText, IsRefusedBeforeItCostsMemoryWhenItNamesTooManyRanks) {
  for (const auto* const text :
       {"0+4294967295x4294967295*4294967295", "0+4294967296x1", "0+1x4194305", "0+4194305x1",
        "0+1x1*4194305", "4294967295+1x1", "4194304+1x1", "0+2097152x2*2", "0+65536x65536",
        "0+4194304x1,0+1x1", "0+1x99999999999999999999"}) {
    const fixtures::AllocationMeter meter;
    EXPECT_FALSE(decode_mapping(text)) << text;
    EXPECT_LE(meter.bytes(), 2 * max_tasks * sizeof(std::uint32_t)) << text;
  }
}

TEST(MappingText, IsAMappingOrNothingWhateverTheText) {
  fixtures::RandomText random(2);
  const std::vector<std::string> pieces{"0", "1", "12", "+", "x", "*", ",", "-", " ", "99999999"};
  for (int i = 0; i < 20'000; ++i) {
    auto text = i % 2 == 0 ? random.pieces(pieces, 12) : encode_mapping(any(random));
    if (i % 2 != 0) text = random.mutate(random.mutate(text));
    const auto read = decode_mapping(text);
    if (!read) continue;
    ASSERT_LE(read->size(), max_tasks);
    ASSERT_EQ(decode_mapping(encode_mapping(*read)), *read) << text;
  }
}

TEST(StepLayoutText, CarriesNodesMappingAndAddress) {
  const StepLayoutText layout{"node[1-3]", "0+3x2", "10.0.0.1"};
  const auto text = encode(layout);
  EXPECT_EQ(text, "1|node[1-3]|0+3x2|10.0.0.1");
  const auto read = decode_step_layout(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->nodes, layout.nodes);
  EXPECT_EQ(read->mapping, layout.mapping);
  EXPECT_EQ(read->address, layout.address);
}

TEST(StepLayoutText, CarriesTheFeaturesOfThatNode) {
  StepLayoutText layout{"node[1-3]", "0+3x2", "10.0.0.1"};
  layout.features = "ib,big";
  EXPECT_EQ(encode(layout), "1|node[1-3]|0+3x2|10.0.0.1 ib,big");
  const auto read = decode_step_layout(encode(layout));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->address, "10.0.0.1");
  EXPECT_EQ(read->features, "ib,big");
}

TEST(StepLayoutText, MayLackTheAddressOnly) {
  EXPECT_EQ(decode_step_layout("1|node1|0+1x1|")->address, "");
  EXPECT_FALSE(decode_step_layout("1||0+1x1|a"));
  EXPECT_FALSE(decode_step_layout("1|node1||a"));
  EXPECT_FALSE(decode_step_layout("|node1|0+1x1|a"));
}

TEST(StepLayoutText, SaysWhereEachComponentEnds) {
  const StepLayoutText layout{"a,b[1-2]", "0+3x1", "10.0.0.1", {{42, 1, 1}, {43, 2, 2}}};
  const auto text = encode(layout);
  EXPECT_EQ(text, "2|a,b[1-2]|0+3x1|10.0.0.1|42:1:1,43:2:2");
  const auto read = decode_step_layout(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->nodes, layout.nodes);
  EXPECT_EQ(read->address, layout.address);
  EXPECT_EQ(read->components, layout.components);
}

TEST(StepLayoutText, IsRefusedWhenItsComponentsAreMalformedOrTooMany) {
  for (const auto* const components :
       {"", "1", "1:1", "1:1:", "1:1:1,", ",1:1:1", "1:1:1,,1:1:1", "1:1:1:1", "x:1:1", "-1:1:1",
        "1:4194305:1", "1:1:4194305", "1:4294967296:1"}) {
    EXPECT_FALSE(decode_step_layout(std::string("2|a|0+1x1||") + components)) << components;
  }
  std::string many = "2|a|0+1x1||1:1:1";
  for (std::size_t i = 1; i < max_components; ++i) many += ",1:1:1";
  EXPECT_TRUE(decode_step_layout(many));
  EXPECT_FALSE(decode_step_layout(many + ",1:1:1"));
}

TEST(StepLayoutText, IsRefusedWhenOfAnotherShape) {
  for (const auto* const text : {"", "|", "||||", "1", "2|node1|0+1x1|a", "1|node1|0+1x1|a|b",
                                 "1|node1|0+1x1|a|", "11|node1|0+1x1|a", " 1|node1|0+1x1|a"}) {
    EXPECT_FALSE(decode_step_layout(text)) << text;
  }
  // A line cut before its last field is incomplete.
  EXPECT_FALSE(decode_step_layout("1|node1|0+1x1"));
}

}  // namespace
}  // namespace muster::wire
