#include "core/picture/legend.hpp"

#include "core/picture/element.hpp"
#include "core/picture/palette.hpp"
#include "core/text/list.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace muster::picture {
namespace {

constexpr double size = 11;
constexpr double line = 20;
constexpr double gap = 14;

// rank, CPUs, memory, GPUs, NICs
using Row = std::array<std::string, 5>;

std::string cpus_text(const CpuSet& cpus) {
  constexpr std::size_t longest = 48;
  if (cpus.empty()) return "CPUs as Slurm binds";
  const auto list = cpus.to_string();
  return list.size() <= longest ? "CPUs " + list : fmt::format("{} CPUs", cpus.count());
}

std::string gpus_text(const std::vector<resources::TaskGpu>& gpus) {
  if (gpus.empty()) return {};
  std::vector<std::string> names;
  for (const auto& gpu : gpus) names.push_back(gpu.index ? fmt::to_string(*gpu.index) : gpu.busid);
  return fmt::format("GPU {}", text::join(names, ","));
}

std::string nics_text(const std::vector<std::string>& nics) {
  constexpr std::size_t most = 4;
  if (nics.size() > most) return fmt::format("{} NICs", nics.size());
  return text::join(nics, ",");
}

Row row_of(const plan::TaskPlan& task) {
  const auto& own = task.resources;
  return {fmt::format("rank {}", task.rank), cpus_text(own.cpus),
          own.numa.empty() ? "" : "memory " + memory_text(own), gpus_text(own.gpus),
          nics_text(own.nics)};
}

double width_of(std::size_t letters) {
  return static_cast<double>(letters) * size * letter_width;
}

std::array<double, 5> widths(const std::vector<Row>& rows) {
  std::array<double, 5> wide{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      wide[i] = std::max(wide[i], width_of(row[i].size()));
  for (auto& each : wide)
    if (each > 0) each += gap;
  return wide;
}

std::string entry(const Row& row, const std::array<double, 5>& wide, std::string_view color,
                  double x, double y) {
  auto svg = fmt::format(
      "<rect x='{:g}' y='{:g}' width='{:g}' height='16' fill='{}' stroke='#000000' "
      "class='legend'/>\n",
      x, y, wide[0], color);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!row[i].empty())
      svg += svg_text(x + (i == 0 ? gap / 2 : gap / 2 + 2), y + 12, size, row[i]);
    x += wide[i];
  }
  return svg;
}

}  // namespace

std::string svg_text(double x, double y, double font_size, std::string_view text,
                     std::string_view more) {
  return fmt::format(
      "<text x='{:g}' y='{:g}' font-family='monospace' font-size='{:g}px' fill='{}'{}>{}</text>\n",
      x, y, font_size, text_color, more, plain(text));
}

Legend legend_of(const plan::NodePlan& node, double width) {
  std::vector<Row> rows;
  for (const auto& task : node.tasks) rows.push_back(row_of(task));
  const auto wide = widths(rows);
  double entry_width = gap;
  for (const auto each : wide) entry_width += each;
  const auto fitting = static_cast<std::size_t>(std::max(1.0, (width + gap) / entry_width));
  const auto max_columns = std::min(fitting, std::max<std::size_t>(1, rows.size()));
  const auto lines = (rows.size() + max_columns - 1) / max_columns;
  const auto columns = lines == 0 ? 0 : (rows.size() + lines - 1) / lines;
  Legend legend{{}, static_cast<double>(columns) * entry_width, static_cast<double>(lines) * line};
  for (std::size_t i = 0; i < rows.size(); ++i)
    legend.svg +=
        entry(rows[i], wide, rank_colors[i % rank_colors.size()],
              static_cast<double>(i / lines) * entry_width, static_cast<double>(i % lines) * line);
  return legend;
}

}  // namespace muster::picture
