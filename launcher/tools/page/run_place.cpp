#include "launcher/tools/page/run_place.hpp"

#include "core/error.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/small_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include <fmt/format.h>

namespace muster::page {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_named = 8;

bool leads_to_directory(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_attempt(const fs::path& folder) {
  return std::ranges::any_of(os::names_in(folder), logs::is_of_attempt);
}

// Leaves out the link to the newest one.
std::vector<std::string> folders_in(const fs::path& directory) {
  std::vector<std::string> folders;
  for (const auto& name : os::names_in(directory)) {
    std::error_code error;
    if (!fs::is_symlink(directory / name, error) && leads_to_directory(directory / name))
      folders.push_back(name);
  }
  return folders;
}

std::vector<std::string> attempts_in(const fs::path& directory) {
  auto folders = folders_in(directory);
  std::erase_if(folders, [&](const std::string& name) { return !is_attempt(directory / name); });
  return folders;
}

// The folder that the link to the newest one names, if it is in the same directory.
std::optional<std::string> linked_newest(const fs::path& directory) {
  std::error_code error;
  const auto target = fs::read_symlink(directory / logs::latest, error);
  if (error || target.has_parent_path() || !is_attempt(directory / target)) return std::nullopt;
  return target.string();
}

std::string job_of(const std::string& step) {
  return step.substr(0, step.find('.'));
}

std::uint32_t step_number(const std::string& step) {
  return text::number<std::uint32_t>(
             std::string_view(step).substr(std::min(step.find('.') + 1, step.size())))
      .value_or(0);
}

// A folder whose name has another form counts as a job of its own.
std::set<std::string> jobs_of(const std::vector<std::string>& folders) {
  std::set<std::string> jobs;
  for (const auto& folder : folders) {
    const auto name = logs::attempt_of(folder);
    jobs.insert(name ? job_of(name->step) : folder);
  }
  return jobs;
}

std::string newest_of_one_job(const std::vector<std::string>& folders) {
  return *std::ranges::max_element(folders, {}, [](const std::string& folder) {
    const auto name = logs::attempt_of(folder).value_or(logs::AttemptName());
    return std::array{name.slurm_restarts, name.attempt, step_number(name.step)};
  });
}

[[noreturn]] void fail_with_choice(const fs::path& directory, std::vector<std::string> folders) {
  const auto more = folders.size() > max_named ? folders.size() - max_named : 0;
  folders.resize(folders.size() - more);
  for (auto& folder : folders) folder = text::printable_path((directory / folder).string());
  throw Error(fmt::format("{} contains several runs and no link to the newest; name one of {}{}",
                          text::printable_path(directory.string()), text::join(folders, ", "),
                          more == 0 ? "" : fmt::format(" and {} more", more)));
}

[[noreturn]] void fail(const fs::path& directory, std::string_view why) {
  throw Error(fmt::format("{}: {}", text::printable_path(directory.string()), why));
}

// With patterns in logs=, runs are one or two levels down.
std::vector<std::string> directories_with_runs(const fs::path& directory) {
  auto folders = folders_in(directory);
  std::erase_if(folders, [&](const std::string& name) {
    return !linked_newest(directory / name) && attempts_in(directory / name).empty();
  });
  return folders;
}

}  // namespace

RunPlace find_run(const fs::path& named) {
  std::error_code error;
  auto directory = fs::canonical(named, error);
  if (error)
    fail(named,
         fmt::format("{}; name the directory that logs= created", std::strerror(error.value())));
  if (!leads_to_directory(directory))
    fail(named, "it is not a directory; name the one that logs= created");
  if (is_attempt(directory)) {
    return {directory.parent_path(), directory.filename(), attempts_in(directory.parent_path()),
            false};
  }
  const auto attempts = attempts_in(directory);
  if (auto newest = linked_newest(directory)) return {directory, *newest, attempts, true};
  if (jobs_of(attempts).size() == 1)
    return {directory, newest_of_one_job(attempts), attempts, true};
  if (!attempts.empty()) fail_with_choice(named, attempts);
  if (auto below = directories_with_runs(directory); !below.empty()) fail_with_choice(named, below);
  fail(named,
       "there is no run in it: no link named latest, no plan.json and no files from any rank; "
       "name the directory that logs= created");
}

std::optional<std::string> folder_before(const std::string& folder,
                                         const std::vector<std::string>& siblings) {
  const auto own = logs::attempt_of(folder);
  if (!own || own->attempt == 0) return std::nullopt;
  std::optional<std::string> best;
  std::uint32_t best_step = 0;
  for (const auto& each : siblings) {
    const auto name = logs::attempt_of(each);
    if (!name || name->attempt + 1 != own->attempt || name->slurm_restarts != own->slurm_restarts)
      continue;
    const auto step = step_number(name->step);
    if (job_of(name->step) != job_of(own->step) || step >= step_number(own->step)) continue;
    if (best && step < best_step) continue;
    best = each;
    best_step = step;
  }
  return best;
}

std::string folder_of(const std::string& newest, const std::string& step, std::uint32_t attempt) {
  const auto own = logs::attempt_of(newest);
  const auto directory = logs::directory(
      ".", {.step = step, .attempt = attempt, .slurm_restarts = own ? own->slurm_restarts : 0});
  return fs::path(directory).filename();
}

}  // namespace muster::page
