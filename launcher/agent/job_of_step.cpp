#include "launcher/agent/job_of_step.hpp"

#include "core/text/message.hpp"
#include "launcher/agent/slurm_command.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/slurm/ask.hpp"
#include "launcher/slurm/orders.hpp"

#include <chrono>
#include <cstdlib>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::agent {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds exit_timeout{5000};

// scontrol's directory comes first on PATH, and the other programs there must also be Slurm's.
bool keep_to_slurms_programs(const MonitoredStep& step) {
  const auto& owners = step.rules.owners;
  const auto scontrol = find_slurm_command("scontrol", step.environment, owners).path;
  const auto scancel = find_slurm_command("scancel", step.environment, owners).path;
  if (scontrol.empty() || scontrol.parent_path() != scancel.parent_path()) return false;
  const auto variables = slurm_environment(step.environment, owners);
  clearenv();
  for (const auto& variable : variables) {
    const auto equals = variable.find('=');
    setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
  }
  const auto path = fmt::format("{}:{}", scontrol.parent_path().string(), getenv("PATH"));
  setenv("PATH", path.c_str(), 1);
  return true;
}

}  // namespace

JobOfStep::JobOfStep(const MonitoredStep& step)
    : node_(step.node),
      job_(step.step.substr(0, step.step.find('.'))),
      name_(job_),
      can_ask_(keep_to_slurms_programs(step)) {}

std::optional<restart::HostlessJob> JobOfStep::ask(const std::string& host) {
  auto found = slurm::ask_hostless_job(job_, host);
  if (!found) return std::nullopt;
  name_ = found->job.task;
  error_file_ = found->job.error_file;
  return found;
}

void JobOfStep::have_host_tried(const std::string& step) const {
  slurm::have_host_tried(name_, step);
}

bool JobOfStep::requeue() const {
  return slurm::requeue(name_, exit_timeout).empty();
}

bool JobOfStep::cancel() const {
  return slurm::cancel(name_, exit_timeout);
}

void JobOfStep::tell_user(const std::string& text) const {
  const os::Descriptor file(
      open(error_file_.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != geteuid()) {
    return;
  }
  const auto line = text::to_line(text::Severity::error, fmt::format("{}: {}", node_, text)) + "\n";
  [[maybe_unused]] const auto size = write(file.get(), line.data(), line.size());
}

}  // namespace muster::agent
