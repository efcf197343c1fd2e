// Shows which rank had which CPUs, memory, GPUs and NICs. Identical nodes are drawn once.
#include "core/page/figures.hpp"
#include "core/page/markup.hpp"
#include "core/page/sections.hpp"
#include "core/page/table.hpp"
#include "core/page/verdict.hpp"
#include "core/picture/owners.hpp"
#include "core/picture/palette.hpp"
#include "core/report/screen.hpp"
#include "core/text/amounts.hpp"
#include "core/text/list.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::page {
namespace {

constexpr std::size_t max_shapes = 12;
constexpr std::size_t max_blocks = 1024;  // per rank's strip

// Nodes on which each local rank has the same resources.
struct Shape {
  const plan::NodePlan* example = nullptr;
  std::vector<std::string> nodes;
};

bool have_the_same(const plan::NodePlan& one, const plan::NodePlan& other) {
  return std::ranges::equal(
      one.tasks, other.tasks, [](const plan::TaskPlan& a, const plan::TaskPlan& b) {
        const auto& left = a.resources;
        const auto& right = b.resources;
        return a.local_rank == b.local_rank && left.cpus == right.cpus && left.numa == right.numa &&
               left.nics == right.nics &&
               std::ranges::equal(left.gpus, right.gpus, {}, &resources::TaskGpu::index,
                                  &resources::TaskGpu::index);
      });
}

// Returns at most one more shape than are drawn; the nodes of any further shapes are only counted.
std::vector<Shape> shapes_of(const plan::StepPlan& plan) {
  std::vector<Shape> shapes;
  for (const auto& node : plan.nodes) {
    auto found = std::ranges::find_if(
        shapes, [&](const Shape& each) { return have_the_same(*each.example, node); });
    if (found == shapes.end() && shapes.size() <= max_shapes) {
      shapes.push_back({&node, {}});
      found = shapes.end() - 1;
    }
    if (found == shapes.end()) found = shapes.end() - 1;
    found->nodes.push_back(node.node);
  }
  return shapes;
}

unsigned cpus_of(const plan::NodePlan& node) {
  unsigned end = 0;
  for (const auto& task : node.tasks) {
    for (const auto cpu : task.resources.cpus) end = std::max(end, cpu + 1);
  }
  return end;
}

std::string block(unsigned first, unsigned last, unsigned all, std::string_view color) {
  const double width = 100.0 / all;
  return fmt::format(
      "<rect class='cpu' x='{:.3f}%' y='1' width='{:.3f}%' height='18' fill='{}'>"
      "<title>CPU{} {}</title></rect>",
      first * width, (last - first + 1) * width, color, first == last ? "" : "s",
      text::range_text(first, last));
}

// Blocks of neighbouring CPUs with the same owners.
std::string strip(const plan::TaskPlan& task, const picture::NodeOwners& owners, unsigned all) {
  std::string svg = fmt::format(
      "<svg class='strip' role='img' aria-label='CPUs {} of 0-{}' height='20'>"
      "<rect class='track' width='100%' height='20'/>",
      task.resources.cpus.to_string(), all - 1);
  std::size_t blocks = 0;
  for (auto cpu = task.resources.cpus.first(); cpu && blocks < max_blocks; ++blocks) {
    const auto first = *cpu;
    const auto color = picture::color_of(picture::owners_of_pu(owners, first));
    auto last = first;
    for (cpu = task.resources.cpus.next(last); cpu && *cpu == last + 1;
         cpu = task.resources.cpus.next(last)) {
      if (picture::color_of(picture::owners_of_pu(owners, *cpu)) != color) break;
      last = *cpu;
    }
    svg += block(first, last, all, color);
  }
  return svg + "</svg>";
}

std::string gpu_text(const resources::TaskGpu& gpu) {
  if (!gpu.index) return escaped(gpu.busid);
  return gpu.busid.empty()
             ? fmt::to_string(*gpu.index)
             : fmt::format("{} <span class='soft'>{}</span>", *gpu.index, escaped(gpu.busid));
}

std::string gpus_text(const std::vector<resources::TaskGpu>& gpus) {
  std::string text;
  for (const auto& gpu : gpus) text += (text.empty() ? "" : ", ") + gpu_text(gpu);
  return text;
}

std::string table_of(const plan::NodePlan& node, const std::string& name) {
  const auto all = cpus_of(node);
  topology::Topology unknown;
  const auto owners = picture::owners_of(unknown, node);
  const auto axis = all == 0 ? std::string() : fmt::format("CPUs 0 to {}", all - 1);
  Table table(fmt::format("What each local rank gets on {}", name), {{"Local rank", true},
                                                                     {axis.empty() ? "CPUs" : axis},
                                                                     {"CPUs"},
                                                                     {"Memory"},
                                                                     {"GPUs"},
                                                                     {"NICs"}});
  for (const auto& task : node.tasks) {
    const auto& own = task.resources;
    table.add({fmt::to_string(task.local_rank),
               own.cpus.empty() ? "as Slurm binds" : strip(task, owners, all),
               own.cpus.empty() ? "" : escaped(own.cpus.to_string()),
               own.numa.empty() ? "" : "node " + own.numa.to_string(), gpus_text(own.gpus),
               escaped(text::join(own.nics, ", "))});
  }
  return "<div class='binding'>" + table.html() + "</div>";
}

std::string shape_html(const Shape& shape, bool open) {
  constexpr std::size_t max_columns = 120;
  const auto nodes = escaped(report::fit(node_list(shape.nodes), max_columns));
  const auto count = shape.nodes.size();
  return fmt::format("<details{}><summary><span class='name'>{}</span>{}</summary>\n{}</details>\n",
                     open ? " open='open'" : "", nodes,
                     count == 1 ? "" : fmt::format(": {} nodes, all alike", count),
                     table_of(*shape.example, count == 1 ? nodes : "each of these nodes"));
}

}  // namespace

std::string bindings_of(const Run& run) {
  const auto& plan = run.folders.back().plan;
  if (!plan || plan->nodes.empty()) return {};
  const auto shapes = shapes_of(*plan);
  constexpr std::size_t max_open = 3;
  std::string html =
      "<p class='soft'>A block is a range of the rank's CPUs, in the system's numbering; several "
      "ranks share the gray ones.</p>\n";
  for (std::size_t i = 0; i < std::min(shapes.size(), max_shapes); ++i)
    html += shape_html(shapes[i], i < max_open);
  if (shapes.size() > max_shapes) {
    html +=
        fmt::format("<p class='soft'>{} with other bindings; see `muster plan` or plan.json.</p>\n",
                    text::count(shapes.back().nodes.size(), "more node"));
  }
  return html;
}

}  // namespace muster::page
