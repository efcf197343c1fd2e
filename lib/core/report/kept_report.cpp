#include "core/report/kept_report.hpp"

#include "core/error.hpp"
#include "core/report/read_json.hpp"
#include "core/report/report.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

namespace muster::report {
namespace {

std::optional<Report> report_in(std::string_view text) {
  try {
    return read_json(text).report;
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool has_step(const Report& report, const std::string& step) {
  return std::ranges::find(report.attempts, step, &AttemptSummary::step) != report.attempts.end();
}

}  // namespace

std::string kept_step(std::string_view text, const Report& own, std::string_view job) {
  const auto found = report_in(text);
  if (!found || found->attempts.empty() || found->slurm_restarts != own.slurm_restarts) return {};
  if (found->result == Result::ok && found->attempts.size() == 1) return {};
  const auto& step = found->attempts.back().step;
  const bool is_of_job = !job.empty() && step.substr(0, step.find('.')) == job;
  return is_of_job && !has_step(own, step) ? step : std::string();
}

bool is_report(std::string_view text) {
  return report_in(text).has_value();
}

std::string file_beside(const std::string& file, unsigned number) {
  auto path = std::filesystem::path(file);
  const auto extension = path.extension().string();
  path.replace_extension();
  return fmt::format("{}.{}{}", path.string(), number, extension);
}

}  // namespace muster::report
