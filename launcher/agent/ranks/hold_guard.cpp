#include "launcher/agent/ranks/hold_guard.hpp"

#include "launcher/os/open_files.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <new>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::ranks {

struct GuardsMemory {
  struct Process {
    std::uint64_t start_time;
    pid_t pid;
  };
  // More than the processes of a node's ranks. Entries take no memory until they are written to.
  static constexpr std::size_t max_processes = 1U << 16U;

  // Nanoseconds of the monotonic clock, which both processes share.
  std::atomic<std::int64_t> until{0};
  std::atomic<bool> held{false};  // set by the agent
  std::atomic<bool> has_stopped{false};
  std::atomic<std::uint32_t> count{0};  // only the guard adds to it
  std::array<Process, max_processes> stopped;
};

// Otherwise they would use locks that work within one process only.
static_assert(std::atomic<std::int64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Does not signal an ID that belongs to another process by now.
void kill_all(const Ranks& ranks) {
  constexpr int max_kill_rounds = 4;
  for (int round = 0; round < max_kill_rounds; ++round) {
    const auto below = ranks.below();
    for (const auto& rank : ranks.all()) {
      if (rank.process) static_cast<void>(rank.process->signal(SIGKILL));
    }
    for (const auto& stat : below) {
      const auto process = Process::open(stat);
      if (process) static_cast<void>(process->signal(SIGKILL));
    }
  }
}

// The guard, in the child process: it keeps the agent's descriptors of the ranks' processes, and no others.
class Guard {
 public:
  Guard(const Ranks& ranks, GuardsMemory& memory, int parent_lives)
      : ranks_(ranks), memory_(memory), parent_lives_(parent_lives) {
    prctl(PR_SET_NAME, "muster-guard");
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
      std::signal(signal, SIG_DFL);
    std::vector<int> kept{parent_lives};
    for (const auto& rank : ranks.all()) {
      if (rank.process) kept.push_back(rank.process->descriptor());
    }
    std::ranges::sort(kept);
    os::close_others(kept);
  }

  // True if the ranks are suspended and the agent has ended.
  bool watch() {
    while (!parent_ends_within(step())) {
    }
    return memory_.held || memory_.has_stopped;
  }

 private:
  // Does what is due; returns how long it then has nothing to do.
  milliseconds step() {
    if (const auto left = rest(); left.count() > 0) {
      stops_ = 0;
      return left;
    }
    memory_.has_stopped = true;
    // The agent may have been first, without having seen the change.
    if (stops_ == 0 && rest().count() > 0) {
      memory_.has_stopped = memory_.count > 0;
      return milliseconds{0};
    }
    standstill_.stop(ranks_);
    return hold_times.at(std::min(stops_++, hold_times.size() - 1));
  }

  [[nodiscard]] milliseconds rest() const {
    constexpr milliseconds longest{3'600'000};
    const auto now = Clock::now().time_since_epoch();
    const std::chrono::nanoseconds left =
        std::chrono::nanoseconds(memory_.until) - std::chrono::nanoseconds(now);
    return std::min(std::chrono::ceil<milliseconds>(left), longest);
  }

  void note(const Standstill::Key& key) {
    const std::uint32_t at = memory_.count;
    if (at >= GuardsMemory::max_processes) return;
    memory_.stopped.at(at) = {.start_time = key.second, .pid = key.first};
    memory_.count = at + 1;
  }

  // The agent never writes to that pipe.
  [[nodiscard]] bool parent_ends_within(milliseconds time) const {
    pollfd end{parent_lives_, POLLIN, 0};
    return poll(&end, 1, static_cast<int>(time.count())) > 0;
  }

  const Ranks& ranks_;
  GuardsMemory& memory_;
  const int parent_lives_;
  Standstill standstill_{[this](const Standstill::Key& key) { note(key); }};
  std::size_t stops_ = 0;  // one after another
};

[[noreturn]] void be_guard(const Ranks& ranks, GuardsMemory& memory, int parent_lives,
                           const std::function<void()>& afterwards) {
  try {
    if (Guard(ranks, memory, parent_lives).watch()) {
      kill_all(ranks);
      if (afterwards) afterwards();
    }
  } catch (...) {
    _exit(1);  // for example because memory is short: the agent manages without a guard
  }
  _exit(0);
}

}  // namespace

HoldGuard::HoldGuard(const Ranks& ranks, Time until, bool held,
                     const std::function<void()>& afterwards) {
  void* const memory = mmap(nullptr, sizeof(GuardsMemory), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  memory_ = new (memory) GuardsMemory;
  rest_until(until);
  set_held(held);
  std::array<int, 2> pipe{-1, -1};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) return;
  const os::Descriptor parent_lives(pipe[0]);
  alive_ = os::Descriptor(pipe[1]);
  child_ = fork();
  if (child_ == 0) be_guard(ranks, *memory_, parent_lives.get(), afterwards);
}

HoldGuard::~HoldGuard() {
  end();
  if (memory_ != nullptr) munmap(memory_, sizeof(GuardsMemory));
}

void HoldGuard::rest_until(Time until) {
  if (memory_ != nullptr)
    memory_->until = std::chrono::nanoseconds(until.time_since_epoch()).count();
}

void HoldGuard::set_held(bool held) {
  if (memory_ != nullptr) memory_->held = held;
}

bool HoldGuard::has_stopped() const {
  return memory_ != nullptr && memory_->has_stopped;
}

bool HoldGuard::runs() {
  if (child_ > 0 && waitpid(child_, nullptr, WNOHANG) != 0) child_ = -1;
  return child_ > 0;
}

std::vector<Standstill::Key> HoldGuard::end() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
    child_ = -1;
  }
  return stopped();
}

std::vector<Standstill::Key> HoldGuard::stopped() const {
  std::vector<Standstill::Key> stopped;
  for (std::uint32_t at = 0; memory_ != nullptr && at < memory_->count; ++at) {
    const auto& process = memory_->stopped.at(at);
    stopped.emplace_back(process.pid, process.start_time);
  }
  return stopped;
}

}  // namespace muster::ranks
