#include "launcher/supervisor/successor/takeover.hpp"

#include "core/error.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/executable.hpp"
#include "launcher/os/left_bytes.hpp"
#include "launcher/os/output.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::successor {
namespace {

constexpr const char* handover_variable = "MUSTER_HANDOVER";

// Opens only an existing file of this user: a file created here might be on a different file system.
os::Descriptor open_output(const std::string& file) {
  os::Descriptor opened(
      open(file.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!opened || fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != geteuid()) {
    return os::Descriptor();
  }
  return opened;
}

void use_files_of(const slurm::Job& job) {
  const os::Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  const auto out = open_output(job.output_file);
  const auto err = open_output(job.error_file);
  dup2(null.get(), STDIN_FILENO);
  dup2(out ? out.get() : null.get(), STDOUT_FILENO);
  dup2(err ? err.get() : (out ? out.get() : null.get()), STDERR_FILENO);
}

}  // namespace

void take_over(const restart::Handover& handover, const slurm::Job& job) {
  use_files_of(job);
  os::say(os::Severity::warning,
          fmt::format("{}: {}, the supervisor's node, no longer answers: this node takes over",
                      handover.successor_node, handover.host));
  auto left = os::leave_bytes(handover_variable, restart::to_bytes(handover));
  if (chdir(handover.directory.c_str()) != 0) {
    os::say(os::Severity::warning, fmt::format("cannot enter the directory {} on this node: {}",
                                               handover.directory, std::strerror(errno)));
  }
  auto words = handover.command;
  auto variables = handover.environment;
  variables.push_back(std::move(left));
  std::signal(SIGPIPE, SIG_DFL);
  execvpe(words.front().c_str(), os::exec_pointers(words).data(),
          os::exec_pointers(variables).data());
  throw Error(fmt::format("cannot take over supervision: {}", std::strerror(errno)));
}

std::optional<restart::Handover> take_handover() {
  const auto bytes = os::take_bytes(handover_variable, restart::max_handover_bytes);
  if (!bytes) return std::nullopt;
  auto handover = restart::handover_from(*bytes);
  if (!handover)
    throw Error("cannot read the previous supervisor's handover; this is a bug in muster");
  return handover;
}

}  // namespace muster::successor
