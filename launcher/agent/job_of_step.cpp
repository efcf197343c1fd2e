#include "launcher/agent/job_of_step.hpp"

#include "core/text/list.hpp"
#include "launcher/agent/slurm_command.hpp"
#include "launcher/allocation/allocation.hpp"
#include "launcher/allocation/job_facts.hpp"
#include "launcher/allocation/node_states.hpp"
#include "launcher/os/command_output.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/supervise/scontrol_output.hpp"

#include <cstdlib>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::agent {
namespace {

using std::chrono::milliseconds;
using supervise::field;

constexpr milliseconds time_to_ask{2000};
constexpr milliseconds time_to_end{5000};
constexpr std::size_t max_bytes = 1048576;  // a job's line has all of its nodes and options

std::string scontrol(const std::vector<std::string>& words) {
  std::vector<std::string> command{"scontrol", "--all", "--oneliner"};
  command.insert(command.end(), words.begin(), words.end());
  return os::run_command(command, {.timeout = time_to_ask, .max_bytes = max_bytes}).output;
}

std::set<std::string> steps_in(const std::string& text) {
  std::set<std::string> steps;
  for (const auto line : text::split(text, '\n')) {
    if (const auto step = field(line, "StepId"); !step.empty()) steps.emplace(step);
  }
  return steps;
}

bool is_lost(const std::string& host) {
  for (const auto& state : allocation::ask_node_states(std::vector{host}, time_to_ask)) {
    if (state.name == host) return state.down || state.not_responding;
  }
  return false;
}

// The directory of scontrol comes first on PATH, and its neighbours must be root's likewise.
bool keep_to_roots_programs(const MonitoredStep& step) {
  const auto scontrol = find_slurm_command("scontrol", step.environment, step.rules.trust);
  const auto scancel = find_slurm_command("scancel", step.environment, step.rules.trust);
  if (!scontrol || !scancel || scontrol->parent_path() != scancel->parent_path()) return false;
  const auto variables = slurm_environment(step.environment, step.rules.trust);
  clearenv();
  for (const auto& variable : variables) {
    const auto equals = variable.find('=');
    setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
  }
  const auto path = fmt::format("{}:{}", scontrol->parent_path().string(), getenv("PATH"));
  setenv("PATH", path.c_str(), 1);
  return true;
}

}  // namespace

JobOfStep::JobOfStep(const MonitoredStep& step)
    : node_(step.node),
      job_(step.step.substr(0, step.step.find('.'))),
      name_(job_),
      can_ask_(keep_to_roots_programs(step)) {}

std::optional<restart::HostlessJob> JobOfStep::ask(const std::string& host) {
  const auto shown = scontrol({"show", "job", job_});
  const auto line = supervise::job_line(shown, job_);
  const auto facts = allocation::job_facts(line);
  const auto allocation = allocation::allocation_of(line);
  if (!facts) return std::nullopt;
  name_ = facts->name;
  error_file_ = field(line, "StdErr");
  return restart::HostlessJob{.now = facts->now,
                              .batch_host = allocation ? allocation->batch_host : "",
                              .may_requeue = facts->may_requeue,
                              .host_lost = is_lost(host),
                              .steps = steps_in(scontrol({"show", "step", job_}))};
}

void JobOfStep::have_host_tried() const {
  os::run_command({"scancel", "--quiet", "--batch", "--signal=URG", name_},
                  {.timeout = time_to_ask});
}

bool JobOfStep::requeue() const {
  return allocation::requeue(name_, time_to_end).empty();
}

bool JobOfStep::cancel() const {
  return os::run_command({"scancel", "--quiet", name_}, {.timeout = time_to_end}).succeeded;
}

void JobOfStep::tell_user(const std::string& text) const {
  const os::Descriptor file(
      open(error_file_.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != geteuid()) {
    return;
  }
  const auto line = fmt::format("muster: {}: {}\n", node_, text);
  [[maybe_unused]] const auto size = write(file.get(), line.data(), line.size());
}

}  // namespace muster::agent
