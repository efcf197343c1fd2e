#include "core/page/table.hpp"

#include "core/page/figures.hpp"
#include "core/page/markup.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::page {
namespace {

using std::chrono::nanoseconds;

// Narrower bars would be invisible.
constexpr double min_width = 0.003;

constexpr double max_label =
    0.9;  // a fraction of the axis; further to the right there is no space for the label

// A round number of seconds, such that only a few of them fit into `length`.
nanoseconds step_for(nanoseconds length) {
  using namespace std::chrono_literals;
  constexpr int max_steps = 5;
  constexpr std::array<nanoseconds, 29> round{
      100us, 1ms,  2ms,  5ms,  10ms,  20ms,  50ms,  100ms, 200ms, 500ms, 1s,  2s,   5s,   10s,  20s,
      30s,   1min, 2min, 5min, 10min, 20min, 30min, 60min, 2h,    6h,    24h, 168h, 720h, 8760h};
  const auto* const found =
      std::ranges::find_if(round, [&](nanoseconds each) { return length <= each * max_steps; });
  return found == round.end() ? length / max_steps : *found;
}

// A narrow screen has no room for so many columns: there, each row becomes a list, and each cell begins with
// its heading.
bool is_wide(const std::vector<bool>& shown) {
  constexpr std::ptrdiff_t few = 4;
  return std::ranges::count(shown, true) > few;
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

// The first column is always shown.
Table::Shown Table::with_cells() const {
  Shown shown(columns_.size(), false);
  shown.at(0) = true;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) shown.at(i) = shown.at(i) || !row[i].empty();
  }
  return shown;
}

std::string Table::row(const std::vector<std::string>& cells, const Shown& shown) const {
  std::string html = "<tr>";
  const bool wide = is_wide(shown);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!shown.at(i)) continue;
    const auto* const number = columns_.at(i).number ? " class='n'" : "";
    const auto heading = wide ? fmt::format(" data-of='{}'", columns_.at(i).heading) : "";
    html += i == 0 ? fmt::format("<th scope='row'{}{}>{}</th>", number, heading, cells[i])
                   : fmt::format("<td{}{}>{}</td>", number, heading, cells[i]);
  }
  return html + "</tr>\n";
}

std::string Table::html() const {
  const auto shown = with_cells();
  std::string head;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!shown.at(i)) continue;
    head += fmt::format("<th scope='col'{}>{}</th>", columns_[i].number ? " class='n'" : "",
                        columns_[i].heading);
  }
  std::string body;
  for (const auto& cells : rows_) body += row(cells, shown);
  return fmt::format(
      "<div class='scroll' tabindex='0'><table{}><caption>{}</caption>\n<thead><tr>{}</tr></thead>\n"
      "<tbody>\n{}</tbody></table></div>\n",
      is_wide(shown) ? " class='wide'" : "", caption_, head, body);
}

std::string bar(std::span<const Part> parts, std::string_view label) {
  auto svg =
      fmt::format("<svg class='bar' role='img' aria-label='{}' height='20'>", escaped(label));
  svg += "<rect class='track' width='100%' height='20'/>";
  for (const auto& [from, to, kind, title] : parts) {
    const double begin = std::clamp(from, 0.0, 1.0 - min_width);
    const double width = std::max(min_width, std::min(to, 1.0) - begin);
    svg += fmt::format(
        "<rect class='{}' x='{:.2f}%' width='{:.2f}%' height='20'><title>{}</title></rect>", kind,
        begin * 100, width * 100, escaped(title));
  }
  return svg + "</svg>\n";
}

std::string axis(nanoseconds length) {
  std::string html = "<div class='axis' aria-hidden='true'>";
  const auto step = step_for(length);
  for (nanoseconds at{0}; step.count() > 0 && at <= length; at += step) {
    const double place =
        length.count() <= 0 ? 0
                            : static_cast<double>(at.count()) / static_cast<double>(length.count());
    if (place > max_label) break;
    html += fmt::format("<span style='left:{:.2f}%'>{}</span>", place * 100,
                        at.count() == 0 ? "0" : short_duration(at));
  }
  return html + "</div>\n";
}

std::string term(std::string_view name, const std::string& value, std::string_view kind) {
  return fmt::format("<div{}><dt>{}</dt><dd>{}</dd></div>\n",
                     kind.empty() ? "" : fmt::format(" class='{}'", kind), name, value);
}

}  // namespace muster::page
