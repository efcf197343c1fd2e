#include "core/slurm/squeue.hpp"

#include "core/text/list.hpp"
#include "core/text/number.hpp"

#include <algorithm>

namespace muster::slurm {

bool is_job_name(std::string_view name) {
  const auto underscore = name.find('_');
  return text::number<std::uint32_t>(name.substr(0, underscore)) &&
         (underscore == std::string_view::npos ||
          text::number<std::uint32_t>(name.substr(underscore + 1)));
}

std::vector<HetJob> het_jobs(std::string_view output) {
  std::vector<HetJob> jobs;
  for (const auto line : text::split(output, '\n')) {
    const auto fields = text::split(line, '|');
    const auto plus = line.find('+');
    if (fields.size() < 2 || plus == std::string_view::npos || plus >= fields[0].size()) continue;
    const auto offset = text::number<std::uint32_t>(fields[0].substr(plus + 1));
    if (offset)
      jobs.push_back({std::string(line.substr(0, plus)), *offset, std::string(fields[1])});
  }
  return jobs;
}

std::vector<ArrayTask> array_tasks(std::string_view output) {
  std::vector<ArrayTask> tasks;
  for (const auto line : text::split(output, '\n')) {
    const auto fields = text::split(line, '|');
    if (fields.size() < 2 || fields[0].find('_') == std::string_view::npos) continue;
    if (!is_job_name(fields[0]) || !is_job_name(fields[1])) continue;
    tasks.push_back({std::string(fields[0]), std::string(fields[1])});
  }
  return tasks;
}

std::string waiting_job(std::string_view output, std::uint32_t session) {
  std::string found;
  for (const auto line : text::split(output, '\n')) {
    const auto space = line.find(' ');
    if (space == std::string_view::npos) continue;
    const auto rest = line.substr(std::min(line.find_first_not_of(' ', space), line.size()));
    if (text::number<std::uint32_t>(rest.substr(0, rest.find(' '))) != session) continue;
    if (!found.empty()) return {};
    found = line.substr(0, space);
  }
  return found;
}

std::vector<std::string> job_numbers(std::string_view output) {
  std::vector<std::string> jobs;
  for (const auto line : text::split(output, '\n')) {
    if (text::number<std::uint32_t>(line)) jobs.emplace_back(line);
  }
  return jobs;
}

}  // namespace muster::slurm
