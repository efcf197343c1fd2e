#include "launcher/supervisor/successor/successor_step.hpp"

#include "core/restart/handover.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/executable.hpp"
#include "launcher/os/open_files.hpp"
#include "launcher/os/slurm_environment.hpp"

#include <array>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::successor {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds end_timeout{2000};
constexpr milliseconds kill_timeout{1000};
constexpr milliseconds exit_interval{10};
constexpr std::size_t max_unread = 65536;

struct Pipe {
  os::Descriptor reads = os::Descriptor();
  os::Descriptor writes = os::Descriptor();
};

Pipe make_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  return {os::Descriptor(ends[0]), os::Descriptor(ends[1])};
}

// Writing to a pipe without a reader would raise SIGPIPE.
Pipe make_socket_pair() {
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return {};
  return {os::Descriptor(ends[0]), os::Descriptor(ends[1])};
}

void never_wait(const os::Descriptor& end) {
  fcntl(end.get(), F_SETFL, fcntl(end.get(), F_GETFL) | O_NONBLOCK);
}

// The child gets its own process group, so that it does not receive signals that a terminal or Slurm sends to
// the supervisor's. It does not outlive this process, and is forked before there are threads.
pid_t spawn(std::vector<std::string> words, std::vector<std::string> variables, int in, int out) {
  const auto arguments = os::exec_pointers(words);
  const auto environment = os::exec_pointers(variables);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setpgid(0, 0);
  os::restore_file_limit();
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  if (getppid() == parent) {
    execvpe(arguments.front(), arguments.data(), environment.data());
  }
  _exit(127);
}

std::vector<std::string> variables_without_slurms(const Environment& environment) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) {
    if (!os::shapes_a_step(name)) variables.push_back(name + '=' + value);
  }
  return variables;
}

}  // namespace

std::vector<std::string> step_words(const StepOrder& order) {
  return {order.srun,
          "--jobid=" + order.job,
          "--overlap",
          "--nodes=1",
          "--ntasks=1",
          "--ntasks-per-node=1",
          "--nodelist=" + order.node,
          "--gres=none",
          "--mpi=none",
          "--cpu-bind=none",
          "--kill-on-bad-exit=0",
          "--unbuffered",
          "--quiet",
          "--job-name=" + restart::successor_name(order.generation),
          order.program,
          "successor"};
}

SuccessorStep::SuccessorStep(const StepOrder& order, const Environment& environment) {
  auto in = make_socket_pair();
  auto out = make_pipe();
  if (!in.writes || !out.reads) return;
  srun_ = spawn(step_words(order), variables_without_slurms(environment), in.reads.get(),
                out.writes.get());
  to_ = std::move(in.writes);
  from_ = std::move(out.reads);
  never_wait(to_);
  never_wait(from_);
}

SuccessorStep::~SuccessorStep() {
  if (!runs()) return;
  unsent_.clear();  // half a message ends the successor just as well
  send(restart::end_message());
  to_ = os::Descriptor();
  await_end(Clock::now() + end_timeout);
  for (const int signal : {SIGTERM, SIGKILL}) {
    if (!runs()) return;
    kill(srun_, signal);
    await_end(Clock::now() + kill_timeout);
  }
}

void SuccessorStep::await_end(Clock::time_point deadline) {
  while (runs() && Clock::now() < deadline) std::this_thread::sleep_for(exit_interval);
}

bool SuccessorStep::runs() {
  if (srun_ > 0 && waitpid(srun_, nullptr, WNOHANG) != 0) srun_ = -1;
  return srun_ > 0;
}

void SuccessorStep::send(const std::string& message) {
  unsent_ += message;
  write_out();
}

// The rest is written to the pipe at the next beat.
void SuccessorStep::write_out() {
  while (to_ && !unsent_.empty()) {
    const auto size = ::send(to_.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (size <= 0) return;
    unsent_.erase(0, static_cast<std::size_t>(size));
  }
}

void SuccessorStep::listen() {
  write_out();
  std::array<char, 4096> chunk{};
  while (from_) {
    const auto size = read(from_.get(), chunk.data(), chunk.size());
    if (size <= 0) break;
    unread_.append(chunk.data(), static_cast<std::size_t>(size));
    if (unread_.size() > max_unread) unread_.clear();
    for (auto line_end = unread_.find('\n'); line_end != std::string::npos;
         line_end = unread_.find('\n')) {
      take(std::string_view(unread_).substr(0, line_end));
      unread_.erase(0, line_end + 1);
    }
  }
}

void SuccessorStep::take(std::string_view line) {
  if (line == restart::successor_answer) {
    last_word_ = Clock::now();
    has_answered_ = true;
  } else if (!line.empty()) {
    last_line_ = text::printable(line);
  }
}

}  // namespace muster::successor
