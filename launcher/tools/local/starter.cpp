#include "launcher/tools/local/starter.hpp"

#include "core/contains.hpp"
#include "core/error.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/host_name.hpp"
#include "launcher/os/open_files.hpp"
#include "launcher/os/output.hpp"
#include "launcher/tools/local/agent.hpp"
#include "launcher/tools/local/descendants.hpp"
#include "launcher/tools/local/rank.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::local {
namespace {

std::string working_directory() {
  std::error_code removed;
  const auto directory = std::filesystem::current_path(removed);
  return removed ? "/" : directory.string();
}

bool ends_all(int signal) {
  constexpr std::array ending{SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  return contains(ending, signal);
}

// As srun counts: a signal counts as in a shell.
int exit_code(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

class Starter {
 public:
  explicit Starter(const Step& step) : step_(step), agent_(step.site) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask_before_);
    signals_ = os::Descriptor(signalfd(-1, &all, SFD_CLOEXEC));
    if (!signals_) throw Error(fmt::format("cannot wait for the ranks: {}", std::strerror(errno)));
  }

  int run() {
    plan_ = agent_.plan(
        facts_of(step_, site::current_environment(), os::host_name(), working_directory()));
    for (const auto& warning : plan_.warnings) os::say(os::Severity::warning, warning);
    start();
    while (running_ > 0) take(next_signal());
    agent_.end();
    kill_children(-1, [](pid_t, int) {});
    return highest_code_;
  }

 private:
  struct Rank {
    pid_t pid = -1;
    bool runs = true;
  };

  void start() {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw Error(fmt::format("cannot start the ranks: {}", std::strerror(errno)));
    }
    const os::Descriptor gate(ends[0]);
    os::Descriptor opens(ends[1]);
    const auto starter = getpid();
    wire::TasksStarted started;
    for (std::size_t id = 0; id < plan_.tasks.size(); ++id) {
      const pid_t pid = fork();
      if (pid == 0) {
        opens = os::Descriptor();
        become_rank({.plan = plan_,
                     .local_id = id,
                     .command = step_.command,
                     .agent = agent_,
                     .gate = gate.get(),
                     .starter = starter,
                     .mask = mask_before_});
      }
      if (pid < 0) fail_to_fork(id, errno);
      ranks_.push_back({pid});
      ++running_;
      started.pids.push_back(static_cast<std::uint32_t>(pid));
    }
    agent_.tell(started);
  }

  [[noreturn]] void fail_to_fork(std::size_t id, int error) {
    kill_children(agent_.pid(), [](pid_t, int) {});
    throw Error(fmt::format("cannot start rank {}: {}; see `ulimit -u`", id, std::strerror(error)));
  }

  [[nodiscard]] int next_signal() const {
    signalfd_siginfo info{};
    while (read(signals_.get(), &info, sizeof info) != sizeof info) {
    }
    return static_cast<int>(info.ssi_signo);
  }

  void take(int signal) {
    if (signal == SIGCHLD) {
      reap();
    } else if (ends_all(signal)) {
      kill_children(agent_.pid(), [this](pid_t child, int status) { ended(child, status); });
      reap();
    } else if (signal == SIGTSTP) {
      signal_groups(SIGSTOP);
      raise(SIGSTOP);  // until the supervisor and the shell continue
      signal_groups(SIGCONT);
    } else if (signal != SIGCONT) {
      for (const auto& rank : ranks_) {
        if (rank.runs) kill(rank.pid, signal);
      }
    }
  }

  void signal_groups(int signal) const {
    for (const auto& rank : ranks_) {
      if (rank.runs) kill(-rank.pid, signal);
    }
  }

  void reap() {
    int status = 0;
    for (pid_t child = 0; (child = waitpid(-1, &status, WNOHANG)) > 0;) ended(child, status);
  }

  void ended(pid_t child, int status) {
    if (child == agent_.pid()) return agent_.has_ended();
    const auto rank = std::ranges::find(ranks_, child, &Rank::pid);
    if (rank == ranks_.end() || !rank->runs) return;
    rank->runs = false;
    --running_;
    highest_code_ = std::max(highest_code_, exit_code(status));
    const auto id = static_cast<std::uint32_t>(rank - ranks_.begin());
    const bool told = agent_.tell(wire::TaskExit{id, static_cast<std::uint32_t>(status)});
    if (told || status == 0 || !plan_.ends_by_failure || running_ == 0) return;
    os::say(os::Severity::error,
            "rank " + std::to_string(id) +
                " failed, and the agent, which would stop the other ranks, is gone");
    kill_children(-1, [this](pid_t other, int end) { ended(other, end); });
  }

  const Step& step_;
  Agent agent_;
  sigset_t mask_before_{};
  os::Descriptor signals_;
  wire::NodePlan plan_;
  std::vector<Rank> ranks_;
  std::size_t running_ = 0;
  int highest_code_ = 0;
};

}  // namespace

int start_ranks(const Step& step) {
  prctl(PR_SET_NAME, "muster-starter");
  // The supervisor's sockets belong to it alone: one that stayed open here would answer in its name.
  os::close_others();
  adopt_orphans();
  try {
    return Starter(step).run();
  } catch (const Error& error) {
    if (*error.what() != '\0') os::say(os::Severity::error, error.what());
    kill_children(-1, [](pid_t, int) {});
    return EXIT_FAILURE;
  }
}

}  // namespace muster::local
