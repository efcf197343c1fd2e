#include "launcher/supervisor/successor/takeover.hpp"

#include "core/error.hpp"
#include "core/text/number.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/executable.hpp"
#include "launcher/os/output.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
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

// A nameless file that stays open for the next program.
int leave(const std::string& bytes) {
  const int file = memfd_create("handover", 0);
  if (file < 0 || write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    throw Error(fmt::format("cannot take over supervision: {}", std::strerror(errno)));
  }
  return file;
}

}  // namespace

void take_over(const restart::Handover& handover, const slurm::Job& job) {
  use_files_of(job);
  os::say(os::Severity::warning,
          fmt::format("{}: {}, the supervisor's node, no longer answers: this node takes over",
                      handover.successor_node, handover.host));
  const int file = leave(restart::to_bytes(handover));
  if (chdir(handover.directory.c_str()) != 0) {
    os::say(os::Severity::warning,
            fmt::format("cannot enter {} here: {}", handover.directory, std::strerror(errno)));
  }
  auto words = handover.command;
  auto variables = handover.environment;
  variables.push_back(fmt::format("{}={}", handover_variable, file));
  std::signal(SIGPIPE, SIG_DFL);
  execvpe(words.front().c_str(), os::exec_pointers(words).data(),
          os::exec_pointers(variables).data());
  throw Error(fmt::format("cannot take over supervision: {}", std::strerror(errno)));
}

std::optional<restart::Handover> take_handover() {
  const char* const value = std::getenv(handover_variable);
  if (value == nullptr) return std::nullopt;
  const auto number = text::number<int>(value);
  unsetenv(handover_variable);
  const os::Descriptor file(number.value_or(-1));
  std::string bytes;
  std::array<char, 65536> chunk{};
  off_t at = 0;
  for (ssize_t size = 0; (size = pread(file.get(), chunk.data(), chunk.size(), at)) > 0;
       at += size) {
    bytes.append(chunk.data(), static_cast<std::size_t>(size));
    if (bytes.size() > restart::max_handover_bytes) break;
  }
  auto handover = restart::handover_from(bytes);
  if (!handover)
    throw Error("cannot read the previous supervisor's handover; this is a bug in muster");
  return handover;
}

}  // namespace muster::successor
