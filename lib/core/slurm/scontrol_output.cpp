#include "core/slurm/scontrol_output.hpp"

#include "core/text/list.hpp"

#include <algorithm>
#include <charconv>

namespace muster::slurm {

std::string_view field(std::string_view text, std::string_view name) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = std::min(text.find_first_of(" \n", begin), text.size());
    const auto word = text.substr(begin, end - begin);
    if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=') {
      return word.substr(name.size() + 1);
    }
    begin = end + 1;
  }
  return {};
}

std::string_view job_line(std::string_view text, std::string_view job) {
  while (true) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return {};
    if (field(text.substr(0, end), "JobId") == job) return text.substr(0, end);
    text.remove_prefix(end + 1);
  }
}

std::string task_name(std::string_view line) {
  const auto array = field(line, "ArrayJobId");
  const auto task = field(line, "ArrayTaskId");
  if (array.empty() || task.empty()) return std::string(field(line, "JobId"));
  return std::string(array) + '_' + std::string(task);
}

std::string component_name(std::string_view line) {
  const auto job = field(line, "HetJobId");
  const auto offset = field(line, "HetJobOffset");
  if (job.empty() || offset.empty()) return task_name(line);
  return std::string(job) + '+' + std::string(offset);
}

std::vector<ShownStep> steps_of_job(std::string_view text, std::string_view job,
                                    std::string_view task) {
  std::vector<ShownStep> steps;
  for (const auto line : text::split(text, '\n')) {
    const auto id = field(line, "StepId");
    const auto dot = std::min(id.find('.'), id.size());
    const auto owner = id.substr(0, dot);
    if (dot == id.size() || (owner != job && owner != task)) continue;
    steps.push_back(
        {std::string(job) + std::string(id.substr(dot)), std::string(field(line, "Name"))});
  }
  return steps;
}

// "KillWait                = 30 sec"
std::optional<unsigned> config_number(std::string_view config, std::string_view name) {
  const auto begin = config.find(std::string(name) + ' ');
  if (begin == std::string_view::npos) return std::nullopt;
  const auto line = config.substr(begin, config.find('\n', begin) - begin);
  const auto digits = line.find_first_of("0123456789");
  unsigned value = 0;
  if (digits == std::string_view::npos ||
      std::from_chars(line.data() + digits, line.data() + line.size(), value).ec != std::errc{}) {
    return std::nullopt;
  }
  return value;
}

}  // namespace muster::slurm
