#include "launcher/supervisor/groups/group_process.hpp"

#include "core/error.hpp"
#include "launcher/os/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::groups {
namespace {

constexpr off_t max_report = off_t{16} << 20;

void write_report(int file, const std::string& json) {
  if (ftruncate(file, 0) != 0) return;
  std::size_t written = 0;
  while (written < json.size()) {
    const auto bytes =
        pwrite(file, json.data() + written, json.size() - written, static_cast<off_t>(written));
    if (bytes <= 0) return;
    written += static_cast<std::size_t>(bytes);
  }
}

// A session of its own: the terminal's signals reach only the parent, and an srun cannot take the terminal.
void begin_child(const std::string& name, pid_t parent, const sigset_t& mask) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  setsid();
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  os::set_subject(name);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (getppid() != parent) _exit(EXIT_FAILURE);
}

int run(const GroupProcess::Work& work, int report) {
  try {
    return work([report](const std::string& json) { write_report(report, json); });
  } catch (const std::exception& error) {
    os::say(os::Severity::error, error.what());
    return EXIT_FAILURE;
  }
}

}  // namespace

GroupProcess::GroupProcess(const std::string& name, const sigset_t& mask, const Work& work)
    : report_(memfd_create("muster-report", MFD_CLOEXEC)) {
  std::fflush(nullptr);
  const pid_t parent = getpid();
  id_ = fork();
  if (id_ < 0)
    throw Error(fmt::format("cannot start the supervisor of {}: {}", name, std::strerror(errno)));
  if (id_ != 0) return;
  begin_child(name, parent, mask);
  const int code = run(work, report_.get());
  std::fflush(nullptr);
  _exit(code);
}

void GroupProcess::send(int signal) const {
  kill(id_, signal);
}

std::string GroupProcess::report() const {
  struct stat status {};
  if (fstat(report_.get(), &status) != 0 || status.st_size > max_report) return {};
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const auto got = pread(report_.get(), text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

}  // namespace muster::groups
