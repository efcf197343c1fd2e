#include "launcher/tools/preflight/preflight_step.hpp"

#include "core/slurm/node_answers.hpp"
#include "core/text/quote.hpp"
#include "launcher/channel/server.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/slurm/side_step.hpp"
#include "launcher/tools/preflight/node.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace muster::preflight {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds srun_end_time{1000};
constexpr std::size_t max_output = std::size_t{1} << 20;

// The variable is in this process's environment only while srun starts, and never on a command line.
class Variable {
 public:
  explicit Variable(const std::string& value) { setenv(step_variable, value.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { unsetenv(step_variable); }
};

// Becomes readable when `other` does, or when raise() is called.
class Interrupt {
 public:
  explicit Interrupt(int other)
      : own_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), both_(epoll_create1(EPOLL_CLOEXEC)) {
    add(own_.get());
    if (other >= 0) add(other);
  }
  void raise() const {
    constexpr std::uint64_t one = 1;
    // The counter cannot be full, because it is raised only once.
    [[maybe_unused]] const auto written = write(own_.get(), &one, sizeof one);
  }
  [[nodiscard]] int descriptor() const { return both_.get(); }

 private:
  void add(int descriptor) const {
    epoll_event event{};
    event.events = EPOLLIN;
    epoll_ctl(both_.get(), EPOLL_CTL_ADD, descriptor, &event);
  }
  const os::Descriptor own_;
  const os::Descriptor both_;
};

std::vector<std::string> command(const PreflightOrder& order, const Environment& environment) {
  auto words = slurm::side_step_words(
      {.srun = order.srun, .job = order.job, .name = "muster-preflight", .nodes = order.nodes},
      environment);
  words.insert(words.end(), {order.program, "preflight-node", "--config=" + order.site.config});
  if (order.site.trust_any_owner) words.emplace_back("--trust-any-owner");
  return words;
}

}  // namespace

Times times_of(std::chrono::seconds limit, bool between_attempts) {
  constexpr milliseconds longest_between{5000};
  Times times{.limit = limit, .small = between_attempts};
  if (between_attempts) times.limit = std::min(times.limit, longest_between);
  times.gather = times.limit * 2 / 5;
  return times;
}

Seen run_preflight(const PreflightOrder& order, const Environment& environment, int interrupt) {
  const auto begin = std::chrono::steady_clock::now();
  const auto key = secret::make_key();
  const Interrupt stop(interrupt);
  const auto conductor =
      std::make_shared<Conductor>(order.nodes, order.times, [&stop] { stop.raise(); });
  Seen seen;
  {
    channel::Server server(key, order.ports, {}, {}, channel::Limits(), conductor);
    const auto words = command(order, environment);
    const StepOrder step{key, server.address(), order.times.limit, order.interfaces};
    if (!step.supervisor) {
      seen.failure = "could not open a port for the nodes' replies";
      return seen;
    }
    const Variable variable(to_text(step));
    server.start();
    const auto output = slurm::run_on_nodes(words, {.timeout = order.times.limit + srun_end_time,
                                                    .max_bytes = max_output,
                                                    .interrupt = stop.descriptor()});
    if (!server.reached()) {
      const auto why = slurm::line_of_srun(output);
      seen.failure = why.empty() ? "no node answered" : text::printable(why);
    }
  }
  seen.observation = conductor->seen();
  seen.duration = std::chrono::steady_clock::now() - begin;
  return seen;
}

}  // namespace muster::preflight
