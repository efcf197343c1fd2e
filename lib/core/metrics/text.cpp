#include "core/metrics/text.hpp"

#include "core/metrics/families.hpp"

#include <cmath>

#include <fmt/format.h>

namespace muster::metrics {
namespace {

// A label's value. What is not UTF-8 would make the whole text unreadable, and control characters a log.
std::string escaped(std::string_view value) {
  constexpr std::size_t max_bytes = 255;
  std::string text;
  for (const auto c : value.substr(0, max_bytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\' || c == '"') text += '\\';
    text += byte < 0x20 || byte >= 0x7f ? '_' : c;
  }
  return text;
}

void add_label(std::string& labels, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  labels += fmt::format("{}{}=\"{}\"", labels.empty() ? "" : ",", name, escaped(value));
}

std::string labels_of(const status::Run& run) {
  std::string labels;
  add_label(labels, "cluster", run.cluster);
  add_label(labels, "user", run.user);
  add_label(labels, "job", run.job);
  add_label(labels, "step", run.step);
  return labels;
}

// To the millisecond: more digits would change with every look.
std::string number(double value) {
  if (!std::isfinite(value)) return "NaN";
  auto text = fmt::format("{:.4f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string head(const Family& family, Form form) {
  const bool counter = family.type == Type::counter;
  // Of a counter, OpenMetrics names the family, and the older format the series.
  const auto name =
      std::string(family.name) + (counter && form == Form::prometheus ? "_total" : "");
  auto text = fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, family.help, name,
                          counter ? "counter" : "gauge");
  if (form == Form::openmetrics && !family.unit.empty())
    text += fmt::format("# UNIT {} {}\n", name, family.unit);
  return text;
}

}  // namespace

std::string_view content_type(Form form) {
  return form == Form::openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                   : "text/plain; version=0.0.4; charset=utf-8";
}

Form form_for(std::string_view accept) {
  return accept.find("application/openmetrics-text") == std::string_view::npos ? Form::prometheus
                                                                               : Form::openmetrics;
}

std::string to_text(std::span<const status::Step> steps, Form form) {
  std::string text;
  for (const auto& family : families()) {
    std::string series;
    for (const auto& step : steps) {
      if (!step.run) continue;
      const auto labels = labels_of(*step.run);
      for (const auto& sample : family.samples(step, *step.run)) {
        auto all = labels;
        if (!sample.label.empty()) add_label(all, sample.label, sample.label_value);
        series +=
            fmt::format("{}{}{} {}\n", family.name, family.type == Type::counter ? "_total" : "",
                        all.empty() ? "" : "{" + all + "}", number(sample.value));
      }
    }
    if (!series.empty()) text += head(family, form) + series;
  }
  if (form == Form::openmetrics) text += "# EOF\n";
  return text;
}

}  // namespace muster::metrics
