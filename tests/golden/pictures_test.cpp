// Pictures of every capture: each rank's colour and number on each of its cores, GPUs and NICs. Only the
// structure is tested, because lstopo's drawing differs between releases.
#include "captures.hpp"
#include "core/error.hpp"
#include "core/picture/draw.hpp"
#include "core/picture/frame.hpp"
#include "core/picture/palette.hpp"
#include "launcher/tools/picture/lstopo.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

#include <fmt/format.h>

namespace muster::golden {
namespace {

struct Box {
  std::string kind;  // Core, PU, PCI
  std::string fill;  // "#77aadd"
  std::string text;
};

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return std::regex_replace(text, std::regex(" +"), " ");
}

std::vector<Box> boxes_of(const std::string& svg) {
  static const std::regex rect(
      R"(<rect id='(.*)_rect[_0-9]*' class='(\w+)'.*fill='rgb\((\d+),(\d+),(\d+)\)')");
  static const std::regex text(R"(<text id='(.*)_text[_0-9]*' class='\w+'.*>(.*)</text>)");
  std::map<std::string, Box> boxes;
  std::istringstream lines(svg);
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, found, rect)) {
      boxes[found[1]].kind = found[2];
      boxes[found[1]].fill = fmt::format("#{:02x}{:02x}{:02x}", std::stoi(found[3]),
                                         std::stoi(found[4]), std::stoi(found[5]));
    } else if (std::regex_search(line, found, text)) {
      boxes[found[1]].text += trimmed(found[2]);
    }
  }
  std::vector<Box> all;
  for (auto& [id, box] : boxes) all.push_back(std::move(box));
  return all;
}

std::size_t count(const std::vector<Box>& boxes, std::string_view kind) {
  return static_cast<std::size_t>(std::ranges::count(boxes, kind, &Box::kind));
}

bool has(const std::vector<Box>& boxes, std::string_view text, std::string_view color) {
  return std::ranges::any_of(boxes, [&](const Box& box) {
    return (box.text == text || box.text.starts_with(std::string(text) + " ")) && box.fill == color;
  });
}

plan::NodePlan plan_of(const topology::Topology& node, const binding::BindingRequest& request) {
  plan::NodePlan plan{.node = "node1", .node_rank = 0, .tasks = {}, .warnings = {}};
  for (const auto& bound : bind(node, request).tasks) {
    const auto rank = static_cast<std::uint32_t>(plan.tasks.size());
    plan::TaskPlan task;
    task.procid = task.rank = task.local_rank = task.index = rank;
    task.resources.cpus = bound.cpus;
    task.resources.numa = bound.numa;
    for (const auto gpu : bound.gpus)
      task.resources.gpus.push_back(
          {node.gpus[gpu].index, to_string(node.gpus[gpu].address), node.gpus[gpu].uuid});
    for (const auto nic : bound.nics) task.resources.nics.push_back(node.nics[nic].name);
    plan.tasks.push_back(std::move(task));
  }
  return plan;
}

std::vector<std::size_t> owners_of(const topology::Core& core, const plan::NodePlan& plan) {
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i)
    if (plan.tasks[i].resources.cpus.intersects(core.pus)) owners.push_back(i);
  return owners;
}

void check_cores(const topology::Topology& node, const plan::NodePlan& plan,
                 const std::vector<Box>& boxes) {
  for (const auto& core : node.cores) {
    const auto pus = core.pus.to_string();
    const auto owners = owners_of(core, plan);
    const bool found =
        owners.size() == 1
            ? has(boxes, fmt::format("r{} {}", owners[0], pus), picture::rank_colors[owners[0] % 8])
            : std::ranges::any_of(boxes, [&](const Box& box) {
                return box.fill == (owners.empty() ? picture::free_color : picture::shared_color) &&
                       (box.text == pus || box.text.ends_with(" " + pus));
              });
    EXPECT_TRUE(found) << pus << " of " << owners.size() << " ranks";
  }
}

void check_devices(const plan::NodePlan& plan, const std::vector<Box>& boxes) {
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const auto& own = plan.tasks[i].resources;
    for (const auto& gpu : own.gpus)
      EXPECT_TRUE(
          has(boxes, fmt::format("rank {}: GPU {}", i, *gpu.index), picture::rank_colors[i % 8]))
          << "GPU " << *gpu.index;
    for (const auto& nic : own.nics)
      EXPECT_TRUE(std::ranges::any_of(boxes, [&](const Box& box) {
        return box.text.find(fmt::format(": {} ", nic)) != std::string::npos;
      })) << nic;
  }
}

std::string drawn(const plan::Drawing& drawing) try {
  return picture::run_lstopo(drawing);
} catch (const Error& error) {
  if (std::string_view(error.what()).find("no lstopo on PATH") == std::string_view::npos) throw;
  return {};
}

TEST(GoldenPictures, ShowEveryRankOnItsCoresGpusAndNics) {
  MUSTER_REQUIRE_CAPTURES();
  for (const auto& name : readable_captures()) {
    SCOPED_TRACE(name);
    const auto node = load_capture(name);
    auto request = whole_node(node);
    if (node.gpus.empty()) request.tasks = 4;
    const auto plan = plan_of(node, request);
    const auto svg = drawn(picture::draw(node, plan));
    if (svg.empty()) GTEST_SKIP() << "no lstopo here: hwloc-nox";
    const auto boxes = boxes_of(svg);
    EXPECT_EQ(count(boxes, "Core"), node.cores.size());
    check_cores(node, plan, boxes);
    check_devices(plan, boxes);
    const plan::StepPlan step{"torch", {"10.0.0.1", 29500}, std::vector{plan}};
    EXPECT_GT(picture::framed(svg, step, plan).size(), svg.size());
  }
}

}  // namespace
}  // namespace muster::golden
