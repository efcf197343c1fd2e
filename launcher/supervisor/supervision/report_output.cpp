#include "launcher/supervisor/supervision/report_output.hpp"

#include "core/report/json.hpp"
#include "core/report/kept_report.hpp"
#include "core/report/report.hpp"
#include "core/report/summary.hpp"
#include "core/report/text.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/new_file.hpp"
#include "launcher/os/output.hpp"
#include "launcher/os/text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace muster::supervision {
namespace {

void write_file(const report::Report& report, const std::string& file) {
  const int error = os::write_new_file(file, report::to_json(report));
  if (error == 0) return;
  os::say(os::Severity::warning,
          fmt::format("cannot write the report {}: {}; use another file for report=",
                      text::in_quotes(file), std::strerror(error)));
}

std::chrono::seconds utc_offset(std::chrono::system_clock::time_point time) {
  const auto seconds = std::chrono::system_clock::to_time_t(time);
  std::tm local{};
  return std::chrono::seconds{localtime_r(&seconds, &local) == nullptr ? 0 : local.tm_gmtoff};
}

// Otherwise srun or the agents have already said why nothing ran.
bool seen_by_agents(const report::Report& report) {
  return std::ranges::any_of(
      report.nodes, [](const auto& node) { return node.state != report::NodeState::silent; });
}

std::string report_file(const report::Report& report, const request::Request& request,
                        logs::AttemptName run) {
  if (!request.report) return {};
  if (!report.attempts.empty()) {
    run.step = report.attempts.back().step;
    run.attempt = report.attempts.back().number;
  }
  return file_for(report, logs::report_file(*request.report, run), run.job.number);
}

}  // namespace

std::string file_for(const report::Report& report, const std::string& file, std::string job) {
  constexpr std::size_t max_bytes = std::size_t{64} << 20;
  constexpr unsigned max_files = 1000;
  if (job.empty() && !report.attempts.empty())
    job = report.attempts.back().step.substr(0, report.attempts.back().step.find('.'));
  const auto text = os::text_file(file, max_bytes);
  const auto step = text ? report::kept_step(*text, report, job) : std::string();
  if (step.empty()) return file;
  // The user has not named the file beside it, so what is there must be a report that nobody needs.
  const auto is_free = [&](const std::string& path) {
    std::error_code unknown;
    if (!std::filesystem::exists(path, unknown)) return true;
    const auto found = os::text_file(path, max_bytes);
    return found && report::is_report(*found) && report::kept_step(*found, report, job).empty();
  };
  auto beside = file;
  for (unsigned number = 1; number < max_files; ++number) {
    beside = report::file_beside(file, number);
    if (is_free(beside)) break;
  }
  os::say(
      os::Severity::progress,
      fmt::format("{} keeps the report of step {}; the report of this step is in {}",
                  text::printable_path(file), text::printable(step), text::printable_path(beside)));
  return beside;
}

report::TextStyle terminal_style(std::chrono::system_clock::time_point time,
                                 const std::string& report_file, const std::string& logs) {
  return {.color = os::wants_color(stderr),
          .utc_offset = utc_offset(time),
          .report_file = report_file,
          .logs = logs};
}

std::string report_obstacle(const std::string& file) {
  const auto directory = file.substr(0, file.rfind('/') + 1);
  if (directory.find('%') != std::string::npos) return {};
  const int error = os::why_not_writable(file);
  if (error == 0) return {};
  const auto remedy = error == ENOENT
                          ? fmt::format("create the directory {}", text::printable_path(directory))
                          : std::string("use another file for report=");
  return fmt::format(
      "report={}: there will be no report, because the file cannot be written: {}; {}",
      text::printable_path(file), std::strerror(error), remedy);
}

std::optional<int> show_report(const report::Report& report, const request::Request& request,
                               const logs::AttemptName& run, const std::string& logs,
                               bool interactive, const std::string& doubt) {
  const auto file = report_file(report, request, run);
  if (!file.empty()) write_file(report, file);
  if (report.result == report::Result::ok) {
    if (request.verbose || report.attempts.size() > 1)
      os::say(os::Severity::progress, report::summary(report));
    return std::nullopt;
  }
  if (!seen_by_agents(report) && report.attempts.size() < 2) return std::nullopt;
  if (interactive && !request.verbose) return report.exit_code;
  const auto style = terminal_style(report.wall_start, file, logs);
  std::fputs(report::to_text(report, style).c_str(), stderr);
  if (!doubt.empty()) os::say(os::Severity::hint, doubt);
  return report.exit_code;
}

void keep_report(const report::Report& report, const std::string& logs) {
  const int error = os::write_new_file(logs + "/report.json", report::to_json(report));
  if (error == 0) return;
  os::say(os::Severity::warning,
          fmt::format("cannot write report.json into {}: {}", logs, std::strerror(error)));
}

}  // namespace muster::supervision
