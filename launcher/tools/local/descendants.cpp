#include "launcher/tools/local/descendants.hpp"

#include "core/contains.hpp"
#include "launcher/agent/ranks/process_table.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::local {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds exit_timeout{3000};  // a process in uninterruptible sleep does not end
constexpr milliseconds kill_interval{1};

// Includes children that /proc hides (hidepid=), such as a program that runs under another user ID. Not every
// kernel has these files.
std::vector<pid_t> children_by_kernel() {
  std::vector<pid_t> found;
  std::error_code failed;
  for (std::filesystem::directory_iterator at("/proc/self/task", failed), end; !failed && at != end;
       at.increment(failed)) {
    std::ifstream file(at->path() / "children");
    for (pid_t child = 0; file >> child;) found.push_back(child);
  }
  return found;
}

}  // namespace

void adopt_orphans() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

std::vector<pid_t> children() {
  auto found = children_by_kernel();
  const auto self = getpid();
  ranks::ProcessTable().each([&](const ranks::SeenProcess& process) {
    const auto stat = process.stat();
    if (stat && stat->parent == self && !contains(found, stat->pid)) found.push_back(stat->pid);
  });
  return found;
}

void kill_children(pid_t kept, const std::function<void(pid_t, int)>& ended) {
  const auto deadline = std::chrono::steady_clock::now() + exit_timeout;
  while (std::chrono::steady_clock::now() < deadline) {
    auto all = children();
    std::erase(all, kept);
    if (all.empty()) return;
    for (const auto pid : all) kill(pid, SIGKILL);
    for (const auto pid : all) {
      int status = 0;
      if (waitpid(pid, &status, WNOHANG) == pid) ended(pid, status);
    }
    std::this_thread::sleep_for(kill_interval);
  }
}

}  // namespace muster::local
