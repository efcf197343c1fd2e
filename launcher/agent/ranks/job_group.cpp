#include "launcher/agent/ranks/job_group.hpp"

#include "core/text/take.hpp"

namespace muster::ranks {

std::string_view job_group_of(std::string_view path) {
  constexpr std::string_view of_job = "/job_";
  constexpr std::string_view of_step = "/step_";
  if (const auto step = path.rfind(of_step); step != std::string_view::npos) {
    return path.substr(0, step);
  }
  const auto job = path.rfind(of_job);
  if (job == std::string_view::npos) return {};
  return path.substr(0, path.find('/', job + 1));
}

std::string_view job_group_name(std::string_view cgroup_file) {
  while (!cgroup_file.empty()) {
    auto line = text::take(cgroup_file, '\n');
    text::take(line, ':');
    text::take(line, ':');
    const auto group = job_group_of(line);
    if (!group.empty()) return group.substr(group.rfind('/') + 1);
  }
  return {};
}

}  // namespace muster::ranks
