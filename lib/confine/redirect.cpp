#include "confine/redirect.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace muster::confine {
namespace {

// The agent has already created the file. Never create it here, where the root directory may be a different
// one.
int redirect(int stream, const std::string& file) {
  if (file.empty()) return 0;
  const int opened = open(file.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) return errno;
  const int error = dup2(opened, stream) == stream ? 0 : errno;
  close(opened);
  return error;
}

std::string fault(const std::string& file, int error) {
  std::string text = "cannot open ";
  text.append(file).append(" (").append(std::strerror(error));
  return text.append(
      "); give logs= a directory that both the program and the node's agent can see");
}

}  // namespace

std::string redirect_output(const wire::TaskPlan& task) {
  if (const int error = redirect(STDOUT_FILENO, task.output)) return fault(task.output, error);
  if (const int error = redirect(STDERR_FILENO, task.error)) return fault(task.error, error);
  return {};
}

}  // namespace muster::confine
