#include "launcher/agent/port_guard.hpp"

#include "core/text/message.hpp"
#include "core/text/quote.hpp"
#include "launcher/agent/port/listeners.hpp"
#include "launcher/agent/port/owner.hpp"
#include "launcher/agent/task_watch/processes.hpp"
#include "launcher/os/descriptor.hpp"

#include <csignal>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace muster::agent {
namespace {

// Shorter than the time for which a task's exit may wait for the agent.
constexpr std::chrono::seconds notice_timeout{1};

// False if the line cannot be written there.
bool write_on_stderr_of(pid_t process, const std::string& line) {
  const os::Descriptor file(open(fmt::format("/proc/{}/fd/2", process).c_str(),
                                 O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  return file && write(file.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

}  // namespace

PortGuard::PortGuard(port::ListenerWatch watch, std::string node, std::string step,
                     channel::Client supervisor)
    : watch_(std::move(watch)),
      node_(std::move(node)),
      step_(std::move(step)),
      supervisor_(std::move(supervisor)) {}

void PortGuard::look() {
  auto stranger = watch_.look(port::listeners());
  // A container's server may have ended in the meantime, and with it the processes that showed whose it was.
  if (stranger) stranger = watch_.look(port::listeners());
  if (!ended_ && !stranger) return;
  if (!ended_) report(*stranger);
  ended_ = true;
  end_tasks();
}

void PortGuard::report(const port::Stranger& stranger) const {
  const auto text = fmt::format(
      "{}: {} is listening on port {}, which is reserved for this step, so the ranks would "
      "mistake that server for their own; muster stopped the step: start it again, and tell your "
      "administrator",
      node_, port::user_name(stranger.user), stranger.port);
  const auto line = text::to_line(text::Severity::error, text::printable_path(text));
  if (supervisor_ && supervisor_.ask("notice", line, Clock::now() + notice_timeout)) return;
  for (const auto& process : task_watch::task_processes("/proc", step_, geteuid())) {
    if (write_on_stderr_of(process.pid, line + "\n")) return;
  }
}

void PortGuard::end_tasks() const {
  for (const auto& process : task_watch::task_processes("/proc", step_, geteuid())) {
    kill(process.pid, SIGKILL);
  }
}

}  // namespace muster::agent
