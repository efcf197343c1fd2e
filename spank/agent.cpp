#include "spank/agent.hpp"

#include "spank/agent_child.hpp"
#include "spank/blocked_signals.hpp"
#include "spank/process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::spank {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// How much of agent_budget each kind of wait may use.
constexpr milliseconds tell_time{100};        // for one message, if the agent does not take it
constexpr milliseconds all_tells_time{1400};  // for all of them
constexpr milliseconds order_time{1000};      // includes starting the program
constexpr milliseconds busy_time{25'000};     // for an agent that ends a job whose batch host died
constexpr milliseconds end_time{500};         // until a killed process is gone

std::string refusal_frame(const std::string& text) {
  return wire::frame(wire::Kind::refusal, wire::encode(wire::Refusal{text}));
}

std::string hidden_text(const std::string& program) {
  return "another plugin has changed the root directory, and " + program +
         " does not exist in the new one; install muster there as well";
}

void reap(pid_t child) {
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// glibc's fork() would run handlers of other libraries in slurmstepd's own memory.
pid_t fork_by_system_call() {
#ifdef __s390__
  return static_cast<pid_t>(syscall(SYS_clone, nullptr, SIGCHLD));
#else
  return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr));
#endif
}

// Starts the agent as an orphan: its parent exits immediately. Returns -1 and sets errno on failure.
//
// slurmstepd has hundreds of mappings; copying and discarding them would take as long as the agent's own
// start. The parent is therefore made by vfork(): it shares slurmstepd's memory, this thread waits for it,
// and it only makes system calls. The agent, which takes the user's IDs, has its own copy. The result comes
// through a pipe and not through that memory: in qemu-user, vfork() is fork().
pid_t start_orphan(const AgentChild& child) {
  struct Result {
    pid_t agent = -1;
    int error = 0;
  };
  const AllSignalsBlocked no_handler_runs_in_shared_memory;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
  const pid_t parent = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork): as above
  if (parent == 0) {
    Result result{fork_by_system_call(), 0};  // NOLINT(clang-analyzer-unix.Vfork): a system call
    if (result.agent == 0) become_agent(child);
    if (result.agent < 0) result.error = errno;
    _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
  }
  Result result{-1, errno};
  if (parent > 0) {
    reap(parent);
    if (read(ends[0], &result, sizeof result) != sizeof result) result = {-1, ECHILD};
  }
  close(ends[0]);
  close(ends[1]);
  errno = result.error;
  return result.agent;
}

// Whether the other end is closed within that time. Does not read: the process at the other end may send
// without end.
bool closes(int socket, milliseconds time) {
  pollfd end{socket, POLLRDHUP, 0};
  return poll(&end, 1, static_cast<int>(time.count())) > 0;
}

}  // namespace

// Calls `until` with the time by which it must return, and subtracts the time that it took from the budget.
template <typename Wait>
auto Agent::wait(milliseconds at_most, Wait&& until) {
  const auto begin = steady_clock::now();
  const auto result = until(begin + std::clamp(at_most, milliseconds{0}, budget_));
  const auto taken = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);
  budget_ -= std::min(taken, budget_);
  return result;
}

std::string Agent::start(const Plugstack& line, const Identity& identity,
                         const std::vector<StepLimit>& limits, const FirstRoot* root) {
  const auto& program = program_.emplace(agent_program(line));
  identity_ = identity;
  if (root == nullptr) {
    if (auto why = untrusted_agent(program, line.trust_any_owner); !why.empty()) return why;
  }

  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return "cannot make a socket for " + program + ": " + std::strerror(errno);
  }
  std::vector<std::string> command{program, "agent", "--config=" + line.config};
  if (line.config_required) command.emplace_back("--config-required");
  if (line.trust_any_owner) command.emplace_back("--trust-any-owner");
  const std::vector<std::string> environment{"PATH=/usr/bin:/bin:/usr/sbin:/sbin",
                                             "LC_ALL=C.UTF-8"};
  // Everything that allocates happens before the fork: slurmstepd has threads, so the child may make only
  // system calls.
  const auto arguments = pointers(command);
  const auto variables = pointers(environment);
  const AgentChild child{
      .socket = ends[1],
      .identity = identity,
      .limits = limits,
      .root = root,
      .arguments = arguments.data(),
      .environment = variables.data(),
      .seconds_to_answer = static_cast<unsigned>(line.timeout.count()) + 1,
      .kept_root_frame = refusal_frame("could not drop root privileges to start " + program),
      .no_root_frame = refusal_frame(hidden_text(program)),
      .not_executable_frame = refusal_frame(program + " could not be executed on this node"),
      .wrong_machine_frame = refusal_frame(
          program +
          " is not a program for this node's architecture; install the package for that architecture"),
  };
  pid_ = start_orphan(child);
  const int failed = errno;
  close(ends[1]);
  socket_ = ends[0];
  if (pid_ < 0) return "cannot start " + program + ": " + std::strerror(failed);
  return {};
}

std::variant<wire::NodePlan, wire::Refusal> Agent::ask(const wire::StepFacts& facts,
                                                       std::chrono::seconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  // A program that failed to start left the reason in the pipe, so a failed send is not final.
  const auto sent = wire::send_frame(socket_, wire::Kind::facts, wire::encode(facts), deadline);
  if (sent == wire::PipeStatus::timeout) return wire::Refusal{silence(sent, timeout)};

  const auto answer = wire::receive_frame(socket_, deadline);
  if (answer.status == wire::PipeStatus::ok) return understood(answer, facts.global_ids.size());
  if (answer.status == wire::PipeStatus::malformed) return nonsense();
  return wire::Refusal{silence(answer.status, timeout)};
}

std::variant<wire::NodePlan, wire::Refusal> Agent::understood(const wire::Received& answer,
                                                              std::size_t tasks) const {
  if (answer.kind == wire::Kind::plan) {
    auto plan = wire::decode_plan(answer.payload);
    if (plan && plan->tasks.size() == tasks) return std::move(*plan);
  } else if (answer.kind == wire::Kind::refusal) {
    if (auto refusal = wire::decode_refusal(answer.payload)) return std::move(*refusal);
  }
  return nonsense();
}

wire::Refusal Agent::nonsense() const {
  return {*program_ +
          " sent an invalid answer; does its version differ from "
          "muster.so's?"};
}

std::string Agent::silence(wire::PipeStatus status, std::chrono::seconds timeout) const {
  if (status == wire::PipeStatus::timeout) {
    return *program_ + " did not answer within " + std::to_string(timeout.count()) +
           " s; raise timeout= in plugstack.conf if the node is that slow";
  }
  return *program_ + " exited before it answered; run it by hand on this node";
}

void Agent::order(const wire::StepFacts& facts) {
  if (socket_ < 0) return;
  wait(order_time, [&](wire::Deadline deadline) {
    return wire::send_frame(socket_, wire::Kind::facts, wire::encode(facts), deadline);
  });
}

// Several processes may send at the same time: frames as short as these are sent either completely or not at
// all.
wire::PipeStatus Agent::send(wire::Kind kind, const std::string& payload) {
  if (socket_ < 0) return wire::PipeStatus::closed;
  const auto left = budget_ - (agent_budget - all_tells_time);
  return wait(std::min(tell_time, left), [&](wire::Deadline deadline) {
    return wire::send_frame(socket_, kind, payload, deadline);
  });
}

bool Agent::tell(const wire::TaskExit& exit) {
  return send(wire::Kind::task_exit, wire::encode(exit)) != wire::PipeStatus::closed;
}

void Agent::tell(const wire::TaskUnbound& task) {
  send(wire::Kind::task_unbound, wire::encode(task));
}

void Agent::tell(const wire::TasksStarted& tasks) {
  send(wire::Kind::tasks_started, wire::encode(tasks));
}

void Agent::shut_down(milliseconds at_most) {
  if (socket_ < 0) return;
  shutdown(socket_, SHUT_WR);
  const auto receive = [&](wire::Deadline deadline) {
    return wire::receive_frame(socket_, deadline);
  };
  const auto answer = wait(at_most, receive);
  if (answer.status == wire::PipeStatus::ok && answer.kind == wire::Kind::busy)
    wait(busy_time, receive);
}

void Agent::disconnect() {
  if (socket_ < 0) return;
  // By now the agent has either done its work, or hangs (stopped, a dead file system) and will never finish.
  if (pid_ > 0 && !closes(socket_, milliseconds{0})) {
    const pid_t child = fork();
    if (child == 0) kill_as_user(pid_, identity_);
    if (child > 0) reap(child);
    // Its locks are released together with its files, a moment later; the user's next agent must be able to
    // acquire them.
    wait(end_time, [&](wire::Deadline deadline) {
      return closes(socket_, std::chrono::ceil<milliseconds>(deadline - steady_clock::now()));
    });
  }
  close(socket_);
  socket_ = -1;
  pid_ = -1;
}

}  // namespace muster::spank
