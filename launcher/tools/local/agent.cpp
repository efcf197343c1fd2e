#include "launcher/tools/local/agent.hpp"

#include "core/error.hpp"
#include "launcher/agent/serve.hpp"
#include "wire/frames.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::local {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds answer_timeout{60};
constexpr milliseconds tell_timeout{100};
constexpr milliseconds end_timeout{2000};  // the same as in slurmstepd
constexpr milliseconds kill_timeout{1000};
constexpr milliseconds reap_interval{1};

// Does what muster.so does for an agent that it starts: the agent gets nothing of the terminal, of the user's
// variables or of this process's signals.
[[noreturn]] void become_agent(int socket, const site::SiteOptions& site) {
  prctl(PR_SET_NAME, "muster-agent");
  setsid();
  umask(077);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (null < 0 || dup2(null, fd) < 0) close(fd);
  }
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
  alarm(static_cast<unsigned>(answer_timeout.count()) + 1);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  clearenv();
  setenv("PATH", "/usr/bin:/bin:/usr/sbin:/sbin", 1);
  setenv("LC_ALL", "C.UTF-8", 1);
  int code = EXIT_FAILURE;
  try {
    if (chdir("/") == 0) code = agent::serve(socket, site);
  } catch (const std::exception& error) {
    wire::send_frame(socket, wire::Kind::refusal, wire::encode(wire::Refusal{error.what()}),
                     Clock::now() + tell_timeout);
  }
  _exit(code);
}

}  // namespace

Agent::Agent(const site::SiteOptions& site) {
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw Error(fmt::format("cannot make a socket for the agent: {}", std::strerror(errno)));
  }
  socket_ = os::Descriptor(ends[0]);
  const os::Descriptor theirs(ends[1]);
  pid_ = fork();
  if (pid_ < 0) throw Error(fmt::format("cannot start the agent: {}", std::strerror(errno)));
  if (pid_ == 0) {
    close(ends[0]);
    become_agent(ends[1], site);
  }
}

wire::NodePlan Agent::plan(const wire::StepFacts& facts) {
  const auto deadline = Clock::now() + answer_timeout;
  wire::send_frame(socket_.get(), wire::Kind::facts, wire::encode(facts), deadline);
  const auto answer = wire::receive_frame(socket_.get(), deadline);
  if (answer.status == wire::PipeStatus::ok && answer.kind == wire::Kind::plan) {
    auto plan = wire::decode_plan(answer.payload);
    if (plan && plan->tasks.size() == facts.global_ids.size()) return std::move(*plan);
  }
  if (answer.status == wire::PipeStatus::ok && answer.kind == wire::Kind::refusal) {
    if (const auto refusal = wire::decode_refusal(answer.payload)) throw Error(refusal->text);
  }
  if (answer.status == wire::PipeStatus::timeout) {
    throw Error(
        fmt::format("the agent did not return a plan within {} s; is a file system hanging?",
                    answer_timeout.count()));
  }
  throw Error("the agent exited before it returned a plan; is the node out of memory?");
}

bool Agent::send(wire::Kind kind, const std::string& payload) const {
  return wire::send_frame(socket_.get(), kind, payload, Clock::now() + tell_timeout) !=
         wire::PipeStatus::closed;
}

void Agent::tell(const wire::TasksStarted& tasks) const {
  static_cast<void>(send(wire::Kind::tasks_started, wire::encode(tasks)));
}

void Agent::tell(const wire::TaskUnbound& task) const {
  static_cast<void>(send(wire::Kind::task_unbound, wire::encode(task)));
}

bool Agent::tell(const wire::TaskExit& exit) const {
  return send(wire::Kind::task_exit, wire::encode(exit));
}

void Agent::end() {
  if (!socket_) return;
  shutdown(socket_.get(), SHUT_WR);
  const auto deadline = Clock::now() + end_timeout;
  wire::receive_frame(socket_.get(), deadline);  // `done`, or the end of the connection
  socket_ = os::Descriptor();
  while (pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == 0) {
    if (Clock::now() >= deadline) kill(pid_, SIGKILL);
    if (Clock::now() >= deadline + kill_timeout) break;  // it is blocked in the kernel
    std::this_thread::sleep_for(reap_interval);
  }
  pid_ = -1;
}

}  // namespace muster::local
