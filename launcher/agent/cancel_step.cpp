#include "launcher/agent/cancel_step.hpp"

#include "core/text/list.hpp"
#include "launcher/os/bounded_child.hpp"

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view usual_path = "/usr/local/bin:/usr/bin:/bin";

std::string value(const Environment& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

bool is_roots(const fs::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && status.st_uid == 0 &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Nobody but root can replace it, or a directory on the way to it.
bool is_trusted(const fs::path& file, const file::Trust& trust) {
  if (trust.any_owner) return true;
  for (auto part = file; part != part.parent_path(); part = part.parent_path()) {
    if (!is_roots(part)) return false;
  }
  return is_roots("/");
}

// The file itself, not a link: a link of the user's may have the name and lead to another of root's
// programs.
std::optional<fs::path> trusted(const fs::path& path, const file::Trust& trust) {
  std::error_code missing;
  auto file = fs::canonical(path, missing);
  if (missing || file.filename() != path.filename() || !is_trusted(file, trust))
    return std::nullopt;
  return file;
}

std::optional<fs::path> find_scancel(const Environment& environment, const file::Trust& trust) {
  const auto path = fmt::format("{}:{}", value(environment, "PATH"), usual_path);
  for (const auto directory : text::split(path, ':')) {
    if (!directory.starts_with('/')) continue;
    if (auto found = trusted(fs::path(directory) / "scancel", trust)) return found;
  }
  return std::nullopt;
}

std::vector<std::string> small_environment(const Environment& environment,
                                           const file::Trust& trust) {
  std::vector<std::string> small{fmt::format("PATH={}", usual_path), "LC_ALL=C.UTF-8"};
  const auto configuration = value(environment, "SLURM_CONF");
  if (!configuration.empty() && trusted(configuration, trust)) {
    small.push_back("SLURM_CONF=" + configuration);
  }
  return small;
}

// Runs in the bounded child, and ends with it.
bool runs_well(const fs::path& scancel, const std::string& step,
               std::vector<std::string> variables) {
  std::vector<char*> environment;
  for (auto& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    clearenv();
    environ = environment.data();
    execl(scancel.c_str(), "scancel", "--quiet", step.c_str(), nullptr);
    _exit(1);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool cancel_step(const std::string& step, const Environment& environment, const file::Trust& trust,
                 std::chrono::milliseconds timeout) {
  const auto scancel = find_scancel(environment, trust);
  if (!scancel) return false;
  const auto done = os::answer_of_child(
      [&] {
        return runs_well(*scancel, step, small_environment(environment, trust)) ? "done" : "";
      },
      timeout);
  return done == "done";
}

}  // namespace muster::agent
