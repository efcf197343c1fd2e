// Runs in a child forked from a root process with threads: system calls only, no allocation. IDs are set by
// the raw system calls, because glibc's setresuid tries to signal threads that do not exist in the child.
#include "spank/agent_child.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace muster::spank {
namespace {

bool is_root(uid_t uid) {
  return uid == 0;
}

bool has_ids(const Identity& identity) {
  uid_t uid[3];
  gid_t gid[3];
  if (getresuid(&uid[0], &uid[1], &uid[2]) != 0 || getresgid(&gid[0], &gid[1], &gid[2]) != 0) {
    return false;
  }
  return std::all_of(uid, uid + 3, [&](uid_t id) { return id == identity.uid; }) &&
         std::all_of(gid, gid + 3, [&](gid_t id) { return id == identity.gid; });
}

// The out-of-memory killer spares slurmstepd, and children inherit that. Root must reset it: otherwise the
// user could restore it.
void drop_memory_privilege() {
  const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score < 0) return;
  [[maybe_unused]] const auto size = write(score, "0", 1);  // a container may forbid this
  close(score);
}

// slurmstepd calls user_init with the user's effective ID and root's real ID. One of the user's processes
// must not start like this, because it could regain root's ID.
bool drop_ids(const Identity& identity) {
  if (!is_root(getuid())) return geteuid() == identity.uid;
  constexpr auto keep = static_cast<uid_t>(-1);
  if (syscall(SYS_setresuid, keep, 0, keep) != 0) return false;
  drop_memory_privilege();
  if (syscall(SYS_setgroups, identity.groups.size(), identity.groups.data()) != 0) return false;
  if (syscall(SYS_setresgid, identity.gid, identity.gid, identity.gid) != 0) return false;
  if (syscall(SYS_setresuid, identity.uid, identity.uid, identity.uid) != 0) return false;
  const bool root_again = !is_root(identity.uid) && syscall(SYS_setresuid, keep, 0, keep) == 0;
  return !root_again && has_ids(identity);
}

void close_from(unsigned first) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, first, ~0U, 0U) == 0) return;
#endif
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  constexpr rlim_t most = 1 << 20;
  for (auto fd = first; fd < std::min(limit.rlim_cur, most); ++fd) close(static_cast<int>(fd));
}

void arrange_descriptors(int socket) {
  // The pipe comes first: otherwise /dev/null may take its number.
  const int pipe = fcntl(socket, F_DUPFD, agent_socket + 1);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (null < 0 || dup2(null, fd) < 0) close(fd);  // never keep slurmstepd's own descriptor
  }
  dup2(pipe, agent_socket);
  close_from(agent_socket + 1);
}

// slurmstepd blocks and ignores signals for its own purposes. Slurm signals a step's processes at
// any time, so the agent must ignore its signals from its first instruction on.
void set_signals() {
  struct sigaction action {};
  for (int signal = 1; signal < NSIG; ++signal) {
    const bool ignored = signal == SIGHUP || signal == SIGINT || signal == SIGQUIT ||
                         signal == SIGTERM || signal == SIGUSR1 || signal == SIGUSR2 ||
                         signal == SIGPIPE;
    action.sa_handler = ignored ? SIG_IGN : SIG_DFL;
    sigaction(signal, &action, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void give_up(const std::string& frame) {
  send(agent_socket, frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  _exit(1);
}

}  // namespace

void kill_as_user(pid_t agent, const Identity& identity) {
  if (drop_ids(identity)) kill(agent, SIGKILL);
  _exit(0);
}

void become_agent(const AgentChild& child) {
  const bool at_root = child.root == nullptr || child.root->enter();
  arrange_descriptors(child.socket);
  if (!at_root) give_up(child.no_root_frame);
  if (!drop_ids(child.identity)) give_up(child.kept_root_frame);
  // The user chooses the limits, so they are set only after root's work is done.
  take_limits(child.limits);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  setsid();
  umask(077);
  set_signals();
  alarm(child.seconds_to_answer);
  if (chdir("/") == 0) execve(child.arguments[0], child.arguments, child.environment);
  give_up(errno == ENOEXEC ? child.wrong_machine_frame : child.not_executable_frame);
}

}  // namespace muster::spank
