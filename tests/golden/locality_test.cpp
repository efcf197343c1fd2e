// GOLDEN.md beside the captures says where every GPU and NIC is, according to hwloc's own tools.
#include "captures.hpp"
#include "core/binding/devices/distance.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

namespace muster::golden {
namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

// "## llnl-corona-8mi50.xml  packages=2 numa=2 ..." begins a section; its lines follow.
std::map<std::string, std::vector<Words>> golden_sections() {
  std::map<std::string, std::vector<Words>> sections;
  for (const auto& directory : captures_directories()) {
    std::ifstream file(directory / "GOLDEN.md");
    std::string section;
    for (std::string line; std::getline(file, line);) {
      const Words words = words_of(line);
      if (words.size() > 2 && words[0] == "##" && words[1].ends_with(".xml"))
        section = words[1].substr(0, words[1].size() - 4);
      else if (!section.empty() && !words.empty())
        sections[section].push_back(words);
    }
  }
  return sections;
}

const topology::Gpu* find_gpu(const topology::Topology& node, const std::string& name) {
  const unsigned index = static_cast<unsigned>(std::stoul(name.substr(4)));  // nvml3, rsmi3
  const auto found = std::ranges::find(node.gpus, index, &topology::Gpu::index);
  return found == node.gpus.end() ? nullptr : &*found;
}

const topology::Nic* find_nic(const topology::Topology& node, const std::string& name) {
  const auto found = std::ranges::find_if(node.nics, [&](const topology::Nic& nic) {
    return nic.name == name || std::ranges::find(nic.networks, name) != nic.networks.end();
  });
  return found == node.nics.end() ? nullptr : &*found;
}

std::string word(binding::devices::Path path) {
  switch (path) {
    case binding::devices::Path::pix:
    case binding::devices::Path::pxb:
      return "PIX/PXB";
    case binding::devices::Path::phb:
      return "PHB";
    case binding::devices::Path::node:
      return "NODE";
    case binding::devices::Path::sys:
      return "SYS";
  }
  return "?";
}

std::string value_of(const Words& words, const std::string& key) {
  for (const auto& word : words)
    if (word.starts_with(key + "=")) return word.substr(key.size() + 1);
  return {};
}

// "GPU nvml0 pci=0000:18:00.0 ancestor=Package#0 cpus=0-23,48-71 numa=0"
template <typename Device>
void check_place(const topology::Topology& node, const Device* device, const Words& golden) {
  ASSERT_NE(device, nullptr) << golden[1];
  EXPECT_EQ(to_string(device->address), value_of(golden, "pci"));
  EXPECT_EQ(device->at.cpus.to_string(), value_of(golden, "cpus"));
  EXPECT_EQ(topology::numa_nodes_of(node, device->at.cpus).to_string(), value_of(golden, "numa"));
}

// "nvml0: mlx5_0=SYS mlx5_1=NODE"
void check_relations(const topology::Topology& node, const Words& golden) {
  const topology::Gpu* gpu = find_gpu(node, golden[0].substr(0, golden[0].size() - 1));
  ASSERT_NE(gpu, nullptr) << golden[0];
  for (std::size_t i = 1; i < golden.size(); ++i) {
    const std::string& relation = golden[i];
    const auto equals = relation.find('=');
    const topology::Nic* nic = find_nic(node, relation.substr(0, equals));
    ASSERT_NE(nic, nullptr) << relation;
    EXPECT_EQ(word(binding::devices::distance(node, gpu->at, nic->at).path),
              relation.substr(equals + 1))
        << golden[0] << " " << relation;
  }
}

void check_line(const topology::Topology& node, const Words& words) {
  if (words[0] == "GPU") check_place(node, find_gpu(node, words[1]), words);
  if (words[0] == "NIC") check_place(node, find_nic(node, words[1]), words);
  if (words[0].starts_with("nvml") || words[0].starts_with("rsmi")) check_relations(node, words);
}

TEST(GoldenLocality, OfEveryGpuAndNicIsReproduced) {
  MUSTER_REQUIRE_CAPTURES();
  const auto sections = golden_sections();
  if (sections.empty()) GTEST_SKIP() << "no GOLDEN.md beside the captures";
  for (const auto& [name, lines] : sections) {
    ASSERT_TRUE(has_capture(name)) << name;
    SCOPED_TRACE(name);
    const topology::Topology node = load_capture(name);
    for (const auto& line : lines) check_line(node, line);
  }
}

TEST(GoldenLocality, CountsAsManyGpusAsHwlocsBackends) {
  MUSTER_REQUIRE_CAPTURES();
  for (const auto& [name, lines] : golden_sections()) {
    const auto gpus =
        std::ranges::count_if(lines, [](const Words& line) { return line[0] == "GPU"; });
    EXPECT_EQ(load_capture(name).gpus.size(), static_cast<std::size_t>(gpus)) << name;
  }
}

}  // namespace
}  // namespace muster::golden
