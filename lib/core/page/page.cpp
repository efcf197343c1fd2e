#include "core/page/page.hpp"

#include "core/page/figures.hpp"
#include "core/page/markup.hpp"
#include "core/page/sections.hpp"
#include "core/page/style.hpp"
#include "core/page/verdict.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::page {
namespace {

struct Section {
  std::string_view id;
  std::string_view title;
  std::string content;
};

// A run that was only cancelled has not failed.
bool has_failure(const AttemptFolder& folder) {
  return folder.report && folder.report->report.result == report::Result::failed;
}

std::array<Section, 9> sections_of(const Run& run) {
  const bool failed = std::ranges::any_of(run.folders, has_failure);
  return {Section{"attempts", "Attempts", attempts_of(run)},
          Section{"failures", failed ? "Failures" : "How it ended", failures_of(run)},
          Section{"nodes", "Ranks by node", nodes_of(run)},
          Section{"time", "Where time went", time_of(run)},
          Section{"bindings", "Bindings", bindings_of(run)},
          Section{"start", "Start", start_of(run)},
          Section{"output", "Output", output_of(run)},
          Section{"preflight", "Preflight", preflights_of(run)},
          Section{"notes", "Notes", notes_of(run)}};
}

// Shapes that the page's pictures refer to.
constexpr std::string_view symbols =
    R"(<svg width='0' height='0' class='symbols' aria-hidden='true'>
<symbol id='i-good' viewBox='0 0 28 28'><circle cx='14' cy='14' r='13' fill='currentColor'/>
<path style='fill:none;stroke:var(--on);stroke-width:3' d='M8 14.5l4.2 4.2L20.5 10'/></symbol>
<symbol id='i-bad' viewBox='0 0 28 28'><circle cx='14' cy='14' r='13' fill='currentColor'/>
<path style='fill:none;stroke:var(--on);stroke-width:3' d='M9.5 9.5l9 9M18.5 9.5l-9 9'/></symbol>
<symbol id='i-stopped' viewBox='0 0 28 28'><circle cx='14' cy='14' r='13' fill='currentColor'/>
<path style='fill:none;stroke:var(--on);stroke-width:3' d='M11 9v10M17 9v10'/></symbol>
<symbol id='i-open' viewBox='0 0 28 28'><circle cx='14' cy='14' r='13' fill='currentColor'/>
<path style='fill:none;stroke:var(--on);stroke-width:3' d='M14 7.5V14l4.5 3'/></symbol>
</svg>
)";

std::string head_of(const Run& run) {
  const auto* const last = last_report(run);
  const auto program =
      last == nullptr || last->report.program.empty() ? "a run" : last->report.program;
  return fmt::format(
      "<!DOCTYPE html>\n<html xmlns='http://www.w3.org/1999/xhtml' lang='en'>\n<head>\n"
      "<meta charset='utf-8'/>\n"
      "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "base-uri 'none'; form-action 'none'\"/>\n"
      "<meta name='viewport' content='width=device-width, initial-scale=1'/>\n"
      "<meta name='color-scheme' content='light dark'/>\n"
      "<title>{}: {} - muster</title>\n<style>\n{}</style>\n</head>\n",
      escaped(verdict_of(run).words), escaped(program), style_sheet);
}

std::string problems_of(const Run& run) {
  std::string items;
  for (const auto& problem : run.problems) items += fmt::format("<li>{}</li>\n", escaped(problem));
  if (items.empty()) return items;
  return fmt::format(
      "<section class='problems' aria-labelledby='problems'>"
      "<h2 id='problems'>Some files could not be read</h2>\n<ul>\n{}</ul></section>\n",
      items);
}

std::string navigation_of(const std::array<Section, 9>& sections) {
  std::string items;
  for (const auto& [id, title, content] : sections) {
    if (!content.empty()) items += fmt::format("<li><a href='#{}'>{}</a></li>", id, title);
  }
  return fmt::format("<nav aria-label='Sections'><ul>{}</ul></nav>\n", items);
}

std::string html_of(const Section& section) {
  const auto& [id, title, content] = section;
  if (content.empty()) return {};
  return fmt::format(
      "<section id='{}' aria-labelledby='{}-title'>\n<h2 id='{}-title'>{}</h2>\n{}</section>\n", id,
      id, id, title, content);
}

std::string footer_of(const Run& run) {
  std::string names;
  constexpr std::size_t max_names = 20;
  for (std::size_t i = 0; i < run.folders.size() && i < max_names; ++i) {
    names +=
        fmt::format("{}<code>{}</code>", names.empty() ? "" : ", ", escaped(run.folders[i].name));
  }
  if (run.folders.size() > max_names) names += " and more";
  return fmt::format(
      "<footer><p>muster {} made this page on {} from <code>{}</code>: {}. All times are UTC.</p></footer>\n",
      escaped(run.version), date_text(run.made), escaped(run.directory), names);
}

}  // namespace

std::string to_html(const Run& run) {
  const auto sections = sections_of(run);
  auto html = head_of(run);
  html += "<body>\n<a class='skip' href='#main'>Skip to the content</a>\n";
  html += symbols;
  html += fmt::format("<header>\n{}</header>\n{}<main id='main'>\n{}", summary_of(run),
                      navigation_of(sections), problems_of(run));
  for (const auto& section : sections) html += html_of(section);
  return html + "</main>\n" + footer_of(run) + "</body>\n</html>\n";
}

}  // namespace muster::page
