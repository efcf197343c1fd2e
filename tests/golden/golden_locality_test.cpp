// GOLDEN.md beside the captures: where every GPU and NIC is, as hwloc's own tools see it.
#include "captures.hpp"
#include "core/binding/closeness.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace muster::test {
namespace {

// Section title -> lines.
std::map<std::string, std::vector<std::string>> golden_sections() {
  std::map<std::string, std::vector<std::string>> sections;
  std::ifstream file(captures_directory().value() / "GOLDEN.md");
  std::string section;
  const std::regex title(R"(## (\S+)\.xml .*)");
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_match(line, match, title))
      section = match[1];
    else if (!section.empty())
      sections[section].push_back(line);
  }
  return sections;
}

const Gpu* find_gpu(const Topology& node, const std::string& name) {
  const unsigned index = static_cast<unsigned>(std::stoul(name.substr(4)));  // nvml3, rsmi3
  const auto found = std::ranges::find(node.gpus, index, &Gpu::index);
  return found == node.gpus.end() ? nullptr : &*found;
}

const Nic* find_nic(const Topology& node, const std::string& name) {
  const auto found = std::ranges::find_if(node.nics, [&](const Nic& nic) {
    return nic.name == name || std::ranges::find(nic.networks, name) != nic.networks.end();
  });
  return found == node.nics.end() ? nullptr : &*found;
}

std::string word(Path path) {
  switch (path) {
    case Path::pix:
    case Path::pxb:
      return "PIX/PXB";
    case Path::phb:
      return "PHB";
    case Path::node:
      return "NODE";
    case Path::sys:
      return "SYS";
  }
  return "?";
}

template <typename Device>
void check_place(const Topology& node, const Device* device, const std::smatch& golden) {
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(to_string(device->address), golden[3]);
  EXPECT_EQ(device->at.cpus.to_string(), golden[4]);
  EXPECT_EQ(numa_nodes_of(node, device->at.cpus).to_string(), golden[5]);
}

// "  nvml0: mlx5_0=SYS mlx5_1=NODE"
void check_relations(const Topology& node, const std::string& gpu, const std::string& relations) {
  std::istringstream stream(relations);
  for (std::string relation; stream >> relation;) {
    const auto equals = relation.find('=');
    const Nic* nic = find_nic(node, relation.substr(0, equals));
    ASSERT_NE(nic, nullptr) << relation;
    EXPECT_EQ(word(distance(node, find_gpu(node, gpu)->at, nic->at).path),
              relation.substr(equals + 1))
        << gpu << " " << relation;
  }
}

void check_line(const Topology& node, const std::string& line) {
  static const std::regex place(
      R"((GPU|NIC)\s+(\S+)\s+pci=(\S+) ancestor=\S+ cpus=(\S+) numa=(\S+))");
  static const std::regex relations(R"(  (\S+):((?: \S+=\S+)+))");
  std::smatch match;
  if (std::regex_match(line, match, place)) {
    if (match[1] == "GPU")
      check_place(node, find_gpu(node, match[2]), match);
    else
      check_place(node, find_nic(node, match[2]), match);
  } else if (std::regex_match(line, match, relations)) {
    check_relations(node, match[1], match[2]);
  }
}

TEST(GoldenLocality, OfEveryGpuAndNicIsReproduced) {
  MUSTER_REQUIRE_CAPTURES();
  const auto sections = golden_sections();
  if (sections.empty()) GTEST_SKIP() << "no GOLDEN.md beside the captures";
  for (const auto& [name, lines] : sections) {
    ASSERT_TRUE(has_capture(name)) << name;
    SCOPED_TRACE(name);
    const Topology node = load_capture(name);
    for (const auto& line : lines) check_line(node, line);
  }
}

TEST(GoldenLocality, CountsAsManyGpusAsHwlocsBackends) {
  MUSTER_REQUIRE_CAPTURES();
  for (const auto& [name, lines] : golden_sections()) {
    const auto gpus = std::ranges::count_if(
        lines, [](const std::string& line) { return line.starts_with("GPU "); });
    EXPECT_EQ(load_capture(name).gpus.size(), static_cast<std::size_t>(gpus)) << name;
  }
}

}  // namespace
}  // namespace muster::test
