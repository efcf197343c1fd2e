#include "agent.hpp"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "agent_child.hpp"
#include "process.hpp"

namespace muster::spank {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kTellTime{200};
constexpr milliseconds kDeathTime{500};

std::string describe_end(const std::string& program, int status) {
  if (WIFSIGNALED(status)) {
    return program + " was killed by signal " + std::to_string(WTERMSIG(status));
  }
  switch (WEXITSTATUS(status)) {
    case kAgentKeptRoot: return "could not drop root's ids to start " + program;
    case kAgentNotExecutable: return program + " could not be executed on this node";
    default: return program + " ended with code " + std::to_string(WEXITSTATUS(status));
  }
}

}  // namespace

std::string Agent::start(const Plugstack& line, const Identity& identity) {
  program_ = line.muster + " agent";
  if (auto why = untrusted_program(line.muster, line.trust_any_owner); !why.empty()) return why;

  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return "cannot make a socket for " + program_ + ": " + std::strerror(errno);
  }
  std::vector<std::string> command{line.muster, "agent", "--config=" + line.config};
  if (line.trust_any_owner) command.emplace_back("--trust-any-owner");
  const std::vector<std::string> environment{"PATH=/usr/bin:/bin:/usr/sbin:/sbin",
                                             "LC_ALL=C.UTF-8"};
  // Everything that allocates happens before the fork: slurmstepd has threads, and the child may
  // only make system calls.
  const auto arguments = pointers(command);
  const auto variables = pointers(environment);
  child_ = fork();
  if (child_ == 0) become_agent(ends[1], identity, arguments.data(), variables.data());
  const int fork_error = errno;
  close(ends[1]);
  socket_ = ends[0];
  if (child_ < 0) return "cannot start " + program_ + ": " + std::strerror(fork_error);
  return {};
}

std::variant<wire::NodePlan, wire::Refusal> Agent::ask(const wire::StepFacts& facts,
                                                       std::chrono::seconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  const auto sent = wire::send_frame(socket_, wire::Kind::facts, wire::encode(facts), deadline);
  if (sent != wire::PipeStatus::ok) return wire::Refusal{silence(sent, timeout)};

  const auto answer = wire::receive_frame(socket_, deadline);
  if (answer.status != wire::PipeStatus::ok) {
    return wire::Refusal{silence(answer.status, timeout)};
  }
  if (answer.kind == wire::Kind::plan) {
    auto plan = wire::decode_plan(answer.payload);
    if (plan && plan->tasks.size() == facts.global_ids.size()) return std::move(*plan);
  } else if (answer.kind == wire::Kind::refusal) {
    if (auto refusal = wire::decode_refusal(answer.payload)) return std::move(*refusal);
  }
  return wire::Refusal{program_ + " sent an answer that makes no sense; is it of another version "
                                  "than muster.so?"};
}

std::string Agent::silence(wire::PipeStatus status, std::chrono::seconds timeout) {
  if (status == wire::PipeStatus::timeout) {
    finish(milliseconds{0});
    return program_ + " gave no answer within " + std::to_string(timeout.count()) +
           " s and was ended; set timeout= in plugstack.conf if the node is that slow";
  }
  const auto ended = wait_for_child(child_, kDeathTime);
  if (!ended) return program_ + " closed its pipe without an answer";
  child_ = -1;
  return describe_end(program_, *ended) + " before it answered; try `" + program_ +
         "` by hand on this node";
}

void Agent::tell(const wire::TaskExit& exit) {
  if (socket_ < 0) return;
  wire::send_frame(socket_, wire::Kind::task_exit, wire::encode(exit),
                   steady_clock::now() + kTellTime);
}

void Agent::wait_until_gone(milliseconds deadline) {
  // The end of the stream, not waitpid: slurmstepd's own loop may reap the child first.
  if (socket_ >= 0) wire::receive_frame(socket_, steady_clock::now() + deadline);
}

void Agent::finish(milliseconds deadline) {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  if (child_ <= 0) return;
  const pid_t child = child_;
  child_ = -1;
  if (wait_for_child(child, deadline)) return;
  // ECHILD means that slurmstepd has reaped it and the number may be somebody else's by now.
  if (waitpid(child, nullptr, WNOHANG) != 0) return;
  kill(child, SIGKILL);
  wait_for_child(child, kDeathTime);
}

}  // namespace muster::spank
