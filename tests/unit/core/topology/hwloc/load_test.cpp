// Bad XML is an error with a message, never a crash.
#include "core/topology/hwloc/load.hpp"

#include "core/error.hpp"
#include "core/topology/hwloc/xml_check.hpp"
#include "fixtures/machine_xml.hpp"
#include "fixtures/synthetic_xml.hpp"

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::topology::hwloc {
namespace {

const std::string& good_xml() {
  static const std::string xml = fixtures::synthetic_xml("pack:2 [numa] l3:2 core:2 pu:2");
  return xml;
}

// The message, after checking that it is one line that names the file.
std::string refusal(const std::string& xml) {
  try {
    parse_xml_topology(xml, "node7.xml");
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("node7.xml"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_NE(message.find(';'), std::string::npos) << "no advice: " << message;
    return message;
  }
  ADD_FAILURE() << "accepted: " << xml.substr(0, 80);
  return {};
}

TEST(TopologyXml, IsReadFromAFileAndFromMemoryAlike) {
  const auto file =
      std::filesystem::temp_directory_path() / ("muster-topology-" + std::to_string(getpid()));
  std::ofstream(file) << good_xml();
  const Topology from_file = load_xml_topology(file);
  std::filesystem::remove(file);
  EXPECT_EQ(from_file, parse_xml_topology(good_xml(), "memory"));
  EXPECT_EQ(from_file.pus.count(), 16u);
}

TEST(TopologyXml, ThatIsMissingOrADirectoryIsNamed) {
  for (const char* path : {"/no/such/file.xml", "/"}) {
    try {
      load_xml_topology(path);
      FAIL() << path;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
    }
  }
}

TEST(TopologyXml, OfHwloc1SaysSo) {
  EXPECT_NE(refusal("<?xml version=\"1.0\"?><topology><object type=\"Machine\"/></topology>")
                .find("hwloc 1"),
            std::string::npos);
}

TEST(TopologyXml, OfHwloc3SaysHowToWriteTheOlderFormat) {
  std::string xml = good_xml();
  const auto version = xml.find("version=\"2");
  ASSERT_NE(version, std::string::npos);
  xml.replace(version, 10, "version=\"3");
  EXPECT_NE(refusal(xml).find("export-xml-flags v2"), std::string::npos);
}

TEST(TopologyXml, ThatIsNotATopologyIsRefused) {
  refusal("");
  refusal("not xml at all");
  refusal("<system version=\"1\"><cpu numaid=\"0\"/></system>");
  refusal("<topology version=\"2.0\"></topology>");
  refusal("<topology version=\"2.0\"><object type=\"Nothing\"/></topology>");
  refusal(std::string("<topology version=\"2.0\">\0</topology>", 34));
}

TEST(TopologyXml, CutAnywhereIsRefused) {
  const std::string& xml = good_xml();
  const std::size_t end = xml.rfind("</topology>");
  for (std::size_t length = 0; length < end; length += 37) refusal(xml.substr(0, length));
}

TEST(TopologyXml, WithEntitiesIsRefused) {
  refusal(
      "<?xml version=\"1.0\"?><!DOCTYPE topology [<!ENTITY a \"&b;&b;\"><!ENTITY b \"x\">]>"
      "<topology version=\"2.0\"><object type=\"Machine\" name=\"&a;\"/></topology>");
  refusal(
      "<?xml version=\"1.0\"?><!DOCTYPE topology [<!ENTITY p SYSTEM \"file:///etc/passwd\">]>"
      "<topology version=\"2.0\"><object type=\"Machine\" name=\"&p;\"/></topology>");
}

TEST(TopologyXml, NestedWithoutEndIsRefused) {
  std::string xml = "<topology version=\"2.0\">";
  for (int i = 0; i < 100000; ++i) xml += "<object type=\"Group\">";
  refusal(xml);
  for (int i = 0; i < 100000; ++i) xml += "</object>";
  refusal(xml + "</topology>");
}

TEST(TopologyXml, LargerThanTheLimitIsRefusedWithoutReadingOn) {
  const std::string padding(max_xml_bytes, ' ');
  EXPECT_NE(refusal(good_xml() + padding).find("64 MiB"), std::string::npos);
  EXPECT_THROW(load_xml_topology("/dev/zero"), Error);
}

// The good machine with some words replaced.
std::string changed(const std::string& old, const std::string& with) {
  std::string xml = good_xml();
  const auto at = xml.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return at == std::string::npos ? xml : xml.replace(at, old.size(), with);
}

std::string cpus(const std::string& object, const std::string& mask) {
  return "type=\"" + object + "\" cpuset=\"" + mask + "\" complete_cpuset=\"" + mask + "\"";
}

// hwloc accepts all of these.
TEST(TopologyXml, ThatContradictsItselfSaysWhere) {
  const auto says = [](const std::string& old, const std::string& with, const std::string& words) {
    const auto message = refusal(changed(old, with));
    EXPECT_NE(message.find("contradicts itself"), std::string::npos) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  says(cpus("Package\" os_index=\"1", "0x0000ff00"), cpus("Package\" os_index=\"1", "0x0000ff80"),
       "it lists CPU 7 both in Package 1 and in another Package of Machine 0");
  says(cpus("PU\" os_index=\"5", "0x00000020"), cpus("PU\" os_index=\"4", "0x00000010"),
       "it has PU 4 twice");
  says(cpus("PU\" os_index=\"5", "0x00000020"), cpus("PU\" os_index=\"5", "0x00000040"),
       "it lists CPU 5, but has no PU for it");
  says(cpus("Core\" os_index=\"2", "0x00000030"), cpus("Core\" os_index=\"2", "0x000000f0"),
       "it lists CPUs 6-7 both in Core 3 and in another Core of");
  says("type=\"NUMANode\" os_index=\"1\"", "type=\"NUMANode\" os_index=\"0\"",
       "it has NUMANode 0 twice");
}

TEST(TopologyXml, WithTwoDevicesAtOneAddressSaysWhich) {
  const auto xml =
      fixtures::machine_xml("pack:2 [numa] core:2 pu:1",
                            {{"Package", 0, 16, {"nvidia"}}, {"Package", 1, 16, {"mlx5_0"}}});
  EXPECT_NE(refusal(xml).find("contradicts itself: it has two devices at 0000:12:00.0"),
            std::string::npos);
}

// hwloc 2.9 crashes on some of these; we must not.
TEST(TopologyXml, DamagedAtRandomIsReadOrRefused) {
  const std::string& xml = good_xml();
  std::mt19937 random(11);
  const auto position = [&] { return random() % xml.size(); };
  for (int round = 0; round < 150; ++round) {
    std::string damaged = xml;
    for (unsigned i = 0; i <= random() % 4; ++i) {
      if (random() % 2 == 0)
        damaged[position()] = static_cast<char>(32 + random() % 95);
      else
        damaged.erase(position() % damaged.size(), random() % 12);
    }
    try {
      EXPECT_FALSE(parse_xml_topology(damaged, "damaged.xml").pus.empty());
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace muster::topology::hwloc
