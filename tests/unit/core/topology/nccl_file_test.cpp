// NCCL's description of a machine, written by hand in NCCL's schema.
#include "core/topology/nccl_file.hpp"

#include "fixtures/expect_error.hpp"

#include <gtest/gtest.h>

namespace muster::topology {
namespace {

using fixtures::expect_error;

constexpr const char* two_sockets = R"(<!-- made up -->
<system version="1">
  <cpu numaid="0" affinity="00000001,0000000f" arch="x86_64">
    <pci busid="ffff:ff:01.0" class="0x060400">
      <pci busid="0000:10:1c.0" class="0x030200"><gpu dev="0" sm="80"/></pci>
      <pci busid="0000:10:1b.0" class="0x020000"/>
    </pci>
    <pci busid="0000:20:00" class="0x030200"/>
  </cpu>
  <cpu numaid="-1" affinity="000000f0">
    <pci busid="ffff:ff:01.0" class="0x060400">
      <pci busid="0001:00:00.0" class="0x030200"/>
    </pci>
  </cpu>
</system>)";

TEST(NcclFile, GivesEachDeviceItsProcessorAndItsSwitches) {
  const auto places = parse_nccl_topology(two_sockets, "t.xml");
  ASSERT_EQ(places.size(), 4U);
  EXPECT_EQ(to_string(places[0].address), "0000:10:1c.0");
  EXPECT_EQ(places[0].numa, 0U);
  EXPECT_EQ(places[0].affinity, CpuSet::parse("0-3,32"));
  EXPECT_EQ(places[0].buses.size(), 2U);
  EXPECT_EQ(places[0].buses, places[1].buses);
  EXPECT_EQ(places[2].buses, std::vector<PciBus>{places[0].buses.front()});
}

TEST(NcclFile, KeepsSwitchesOfTheSameMadeUpAddressApart) {
  const auto places = parse_nccl_topology(two_sockets, "t.xml");
  EXPECT_NE(places[3].buses[0], places[0].buses[0]);
  EXPECT_NE(places[3].buses[1], places[0].buses[1]);
}

TEST(NcclFile, KnowsNoMemoryNodeWhereTheFileKnowsNone) {
  const auto places = parse_nccl_topology(two_sockets, "t.xml");
  EXPECT_EQ(places[3].numa, std::nullopt);
  EXPECT_EQ(places[3].affinity, CpuSet::range(4, 7));
}

TEST(NcclFile, TakesADeviceWithoutItsFunction) {
  const auto places = parse_nccl_topology(two_sockets, "t.xml");
  EXPECT_EQ(to_string(places[2].address), "0000:20:00.0");
}

std::string nested(std::size_t depth) {
  std::string xml = "<system><cpu>";
  for (std::size_t i = 0; i < depth; ++i) xml += "<pci busid=\"0000:00:00.0\">";
  for (std::size_t i = 0; i < depth; ++i) xml += "</pci>";
  return xml + "</cpu></system>";
}

TEST(NcclFile, RefusesWhatIsDamagedOrHostile) {
  const auto refuse = [](const std::string& xml, const std::string& why) {
    fixtures::expect_error([&] { parse_nccl_topology(xml, "t.xml"); }, why);
    EXPECT_TRUE(
        fixtures::is_one_line(fixtures::error_of([&] { parse_nccl_topology(xml, "t.xml"); })));
  };
  refuse("", "NCCL topology 't.xml' is damaged");
  refuse(std::string(two_sockets).substr(0, 300), "is damaged at byte");
  refuse("<topology version=\"2.0\"/>", "hwloc's XML belongs under 'file:'");
  refuse("<system/>", "has no PCI device");
  refuse(std::string(max_nccl_bytes + 1, ' '), "is larger than");
  refuse(nested(1000), "nested more than");
  refuse(nested(80000), "is larger than");
  refuse(
      "<system><cpu numaid=\"0\"><pci busid=\"0009:01:00.0\"/></cpu><cpu numaid=\"1\"><pci busid=\"0009:01:00.0\"/></cpu></system>",
      "contradicts itself: it places 0009:01:00.0 twice");
  refuse("<system><cpu affinity=\"zz\"><pci busid=\"0:0:0.0\"/></cpu></system>", "not a CPU mask");
  refuse("<system><cpu><pci busid=\"gpu\nzero\"/></cpu></system>", "has an invalid busid");
  refuse("<system><cpu affinity=\"" + std::string(90000, 'f') + "\"><pci/></cpu></system>",
         "not a CPU mask");
}

TEST(NcclFile, ExpandsNoEntities) {
  const std::string bomb =
      "<!DOCTYPE s [<!ENTITY a \"aaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>"
      "<system><cpu numaid=\"&b;\"><pci busid=\"0000:01:00.0\"/></cpu></system>";
  const auto places = parse_nccl_topology(bomb, "t.xml");
  ASSERT_EQ(places.size(), 1U);
}

}  // namespace
}  // namespace muster::topology
