// Shows how much each rank wrote.
#include "core/page/figures.hpp"
#include "core/page/markup.hpp"
#include "core/page/sections.hpp"
#include "core/page/table.hpp"
#include "core/report/screen.hpp"
#include "core/text/amounts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace muster::page {
namespace {

constexpr std::size_t max_columns = 512;  // the most columns in the chart
constexpr std::size_t max_largest = 8;
constexpr double half = 60;  // half of the chart's height

struct Size {
  std::uint32_t rank = 0;
  std::uint64_t out = 0;
  std::uint64_t err = 0;
  [[nodiscard]] std::uint64_t all() const {
    return out > UINT64_MAX - err ? UINT64_MAX : out + err;
  }
};

std::vector<Size> sizes_of(const AttemptFolder& folder) {
  std::vector<Size> sizes;
  for (const auto& [rank, files] : folder.files) {
    sizes.push_back({rank, files.out ? files.out->bytes : 0, files.err ? files.err->bytes : 0});
  }
  return sizes;
}

// With very many ranks, each column shows the largest of several neighbours.
std::vector<Size> columns_of(const std::vector<Size>& sizes) {
  const auto per_column = (sizes.size() + max_columns - 1) / max_columns;
  std::vector<Size> columns;
  for (std::size_t i = 0; i < sizes.size(); i += per_column) {
    const auto end = std::min(sizes.size(), i + per_column);
    columns.push_back(
        *std::max_element(sizes.begin() + static_cast<std::ptrdiff_t>(i),
                          sizes.begin() + static_cast<std::ptrdiff_t>(end),
                          [](const Size& a, const Size& b) { return a.all() < b.all(); }));
  }
  return columns;
}

// Logarithmic, because one rank often writes a thousand times as much as another.
double height_of(std::uint64_t bytes, std::uint64_t largest) {
  return half * std::log2(1 + static_cast<double>(bytes)) /
         std::log2(1 + static_cast<double>(largest));
}

// Standard output points upwards, standard error downwards.
std::string column(const Size& size, double x, double width, std::uint64_t largest) {
  const double out = height_of(size.out, largest);
  return fmt::format(
      "<g><title>rank {}: {} and {}</title><rect class='out' x='{:.3f}%' y='{:.2f}' width='{:.3f}%' "
      "height='{:.2f}'/>"
      "<rect class='err' x='{:.3f}%' y='{:.2f}' width='{:.3f}%' height='{:.2f}'/></g>",
      size.rank, text::bytes(size.out), text::bytes(size.err), x, half - out, width, out, x,
      half + 1, width, height_of(size.err, largest));
}

std::string chart(const std::vector<Size>& sizes, std::uint64_t largest) {
  const auto columns = columns_of(sizes);
  const double step = 100.0 / static_cast<double>(columns.size());
  const double width = std::min(step * 0.8, 6.0);
  auto svg = fmt::format(
      "<svg class='chart' role='img' aria-label='Output of {}, at most {} per rank' height='121'>",
      text::count(sizes.size(), "rank"), text::bytes(largest));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    svg += column(columns[i], static_cast<double>(i) * step + (step - width) / 2, width, largest);
  }
  return svg + "<rect class='base' y='60' width='100%' height='1'/></svg>\n";
}

std::string table_of(std::vector<Size> sizes) {
  std::ranges::stable_sort(sizes, [](const Size& a, const Size& b) { return a.all() > b.all(); });
  Table table("The ranks that wrote the most",
              {{"Rank", true}, {"stdout", true}, {"stderr", true}});
  for (std::size_t i = 0; i < std::min(sizes.size(), max_largest); ++i) {
    if (sizes[i].all() == 0) break;
    table.add(
        {fmt::to_string(sizes[i].rank), text::bytes(sizes[i].out), text::bytes(sizes[i].err)});
  }
  return table.empty() ? std::string() : table.html();
}

std::string silent_text(const std::vector<Size>& sizes) {
  std::vector<std::uint32_t> silent;
  for (const auto& size : sizes) {
    if (size.all() == 0) silent.push_back(size.rank);
  }
  if (silent.empty()) return {};
  if (silent.size() == sizes.size()) return "<p>No rank wrote anything.</p>\n";
  return fmt::format("<p>No output at all: {}.</p>\n", text::ranks(silent, ", "));
}

}  // namespace

std::string output_of(const Run& run) {
  const auto sizes = sizes_of(run.folders.back());
  if (sizes.empty()) return {};
  std::uint64_t largest = 0;
  std::uint64_t sum = 0;
  for (const auto& size : sizes) {
    largest = std::max(largest, size.all());
    sum += std::min(size.all(), UINT64_MAX - sum);
  }
  const auto silent = silent_text(sizes);
  if (largest == 0) return silent;
  return fmt::format(
      "<p>{} wrote {} in the newest attempt; no rank wrote more than {}.</p>\n{}{}<div class='ends' "
      "aria-hidden='true'>"
      "<span>rank {}</span>"
      "<span>rank {}</span></div>\n{}{}",
      text::count(sizes.size(), "rank"), text::bytes(sum), text::bytes(largest),
      "<ul class='legend'><li><i class='out'></i>standard output</li>"
      "<li><i class='err'></i>standard error, downwards</li><li>heights are logarithmic</li></ul>\n",
      chart(sizes, largest), sizes.front().rank, sizes.back().rank, silent, table_of(sizes));
}

}  // namespace muster::page
