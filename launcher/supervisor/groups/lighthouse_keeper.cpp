#include "launcher/supervisor/groups/lighthouse_keeper.hpp"

#include "core/rendezvous/endpoint.hpp"
#include "core/text/amounts.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/executable.hpp"
#include "launcher/os/open_files.hpp"
#include "launcher/os/output.hpp"
#include "launcher/os/resolve.hpp"
#include "launcher/slurm/ask.hpp"
#include "launcher/slurm/side_step.hpp"
#include "launcher/supervisor/attempts/node_pool.hpp"
#include "launcher/supervisor/groups/relay.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include <asio/buffer.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::groups {
namespace {

using asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds look_interval{250};
constexpr seconds probe_timeout{1};
constexpr seconds start_timeout{90};  // Python on a slow file system
constexpr unsigned max_misses = 3;    // probes without an answer
// Without an answer and without a byte for the groups. On a busy machine, a lighthouse that serves them may
// miss some probes, and taking it for lost makes all groups start again.
constexpr seconds silence_timeout{5};
constexpr unsigned max_failures = 5;  // starts of a lighthouse that has never answered
constexpr seconds longest_pause{10};
constexpr milliseconds node_timeout{2000};
constexpr std::size_t max_output = 4096;

// Outside the range from which systems take ports by themselves.
std::uint16_t some_port() {
  constexpr std::uint16_t first = 20'000;
  constexpr std::uint16_t last = 29'999;
  std::random_device random;
  return std::uniform_int_distribution<std::uint16_t>(first, last)(random);
}

// Asks once whether an HTTP server answers.
class Probe : public std::enable_shared_from_this<Probe> {
 public:
  using Answered = std::function<void(bool)>;

  Probe(asio::io_context& io, Answered answered)
      : socket_(io), deadline_(io), answered_(std::move(answered)) {}

  void start(const tcp::endpoint& server) {
    const auto self = shared_from_this();
    deadline_.expires_after(probe_timeout);
    deadline_.async_wait([self](std::error_code cancelled) {
      if (!cancelled) self->finish(false);
    });
    socket_.async_connect(server, [self](std::error_code error) {
      if (error) return self->finish(false);
      self->ask();
    });
  }

 private:
  void ask() {
    static constexpr std::string_view question = "GET /status HTTP/1.1\r\nHost: muster\r\n\r\n";
    asio::async_write(socket_, asio::buffer(question),
                      [self = shared_from_this()](std::error_code error, std::size_t) {
                        if (error) return self->finish(false);
                        self->socket_.async_read_some(
                            asio::buffer(self->answer_),
                            [self](std::error_code failed, std::size_t) { self->finish(!failed); });
                      });
  }

  void finish(bool answered) {
    if (!answered_) return;
    std::error_code ignored;
    deadline_.cancel();
    socket_.close(ignored);
    std::exchange(answered_, nullptr)(answered);
  }

  tcp::socket socket_;
  asio::steady_timer deadline_;
  Answered answered_;
  std::array<char, 64> answer_{};
};

// One lighthouse, which is started again and again.
class Instance {
 public:
  Instance(asio::io_context& io, const LighthouseCommand& command, const Environment& environment)
      : io_(io), command_(command), environment_(environment) {}

  void begin(const std::string& node);
  // Asks it, unless it is being asked.
  void probe();
  // No longer counts as running.
  void end();

  // Why it has failed; empty if it has not. `last_word`: when it last sent something to a group.
  [[nodiscard]] std::string failure(Clock::time_point last_word) const;
  void srun_has_ended() { srun_ = -1; }

  [[nodiscard]] bool is_begun() const { return begun_; }
  [[nodiscard]] bool is_up() const { return begun_ && is_up_; }
  [[nodiscard]] pid_t srun() const { return srun_; }
  [[nodiscard]] const std::string& node() const { return node_; }
  [[nodiscard]] const std::optional<tcp::endpoint>& server() const { return server_; }
  // The last line that it has printed.
  [[nodiscard]] std::string last_words() const;

 private:
  [[nodiscard]] std::vector<std::string> words() const;

  asio::io_context& io_;
  const LighthouseCommand& command_;
  const Environment& environment_;
  os::Descriptor output_ = os::Descriptor();
  std::string node_;
  std::optional<tcp::endpoint> server_;
  pid_t srun_ = -1;
  Clock::time_point started_;
  Clock::time_point last_answer_;
  std::uint64_t generation_ = 0;
  unsigned misses_ = 0;
  bool begun_ = false;
  bool probes_ = false;
  bool is_up_ = false;
};

std::vector<std::string> Instance::words() const {
  const std::vector nodes{node_};
  auto all = slurm::side_step_words(
      {.srun = command_.srun, .job = command_.job, .name = "muster-lighthouse", .nodes = nodes},
      environment_);
  all.insert(all.end(), command_.words.begin(), command_.words.end());
  const auto* const any = server_->address().is_v6() ? "::" : "0.0.0.0";
  all.insert(all.end(), {"--min_replicas", fmt::to_string(command_.min), "--bind",
                         rendezvous::endpoint_text(any, server_->port())});
  return all;
}

void Instance::begin(const std::string& node) {
  node_ = node;
  begun_ = true;
  is_up_ = false;
  misses_ = 0;
  server_.reset();
  started_ = Clock::now();
  const std::vector nodes{node_};
  const auto known = slurm::ask_nodes(nodes, node_timeout);
  const auto addresses = os::numeric_addresses(known.empty() ? node_ : known.front().address);
  std::error_code error;
  const auto address =
      asio::ip::make_address(addresses.empty() ? std::string() : addresses.front(), error);
  if (error) return;
  server_.emplace(address, some_port());
  output_ = os::Descriptor(memfd_create("muster-lighthouse", MFD_CLOEXEC));
  const auto command = words();
  const pid_t keeper = getpid();
  srun_ = fork();
  if (srun_ != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != keeper) _exit(127);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setsid();
  os::restore_file_limit();
  dup2(output_.get(), STDOUT_FILENO);
  dup2(output_.get(), STDERR_FILENO);
  execvp(command.front().c_str(), os::exec_pointers(command).data());
  _exit(127);
}

void Instance::probe() {
  if (!server_ || probes_) return;
  probes_ = true;
  std::make_shared<Probe>(io_, [this, asked = generation_](bool answers) {
    probes_ = false;
    if (asked != generation_) return;
    misses_ = answers ? 0 : misses_ + 1;
    if (answers) last_answer_ = Clock::now();
    is_up_ = is_up_ || answers;
  })->start(*server_);
}

std::string Instance::failure(Clock::time_point last_word) const {
  if (!server_) return "it has no network address";
  if (srun_ < 0) return "it has exited";
  const auto silence = Clock::now() - std::max(last_word, last_answer_);
  if (is_up_ && misses_ >= max_misses && silence > silence_timeout) return "it does not answer";
  if (!is_up_ && Clock::now() - started_ > start_timeout)
    return fmt::format("it has not answered for {}", text::duration(start_timeout));
  return {};
}

// Its srun cancels the step, which must not hold up this process: the node may be gone.
void Instance::end() {
  ++generation_;
  begun_ = false;
  is_up_ = false;
  if (srun_ > 0) kill(srun_, SIGTERM);
  srun_ = -1;
}

std::string Instance::last_words() const {
  std::string text(max_output, '\0');
  const auto end = lseek(output_.get(), 0, SEEK_END);
  const auto got = pread(output_.get(), text.data(), text.size(),
                         std::max<off_t>(0, end - static_cast<off_t>(text.size())));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  while (text.ends_with('\n')) text.pop_back();
  return text::printable(text.substr(text.rfind('\n') + 1));
}

class Keeper {
 public:
  Keeper(const LighthouseCommand& command, attempts::NodePool& pool, const Environment& environment,
         os::Descriptor listener)
      : command_(command),
        pool_(pool),
        relay_(io_, std::move(listener), {}),
        timer_(io_),
        instances_{{{io_, command, environment}, {io_, command, environment}}} {}

  void run() {
    look();
    io_.run();
  }

 private:
  void look();
  void reap();
  void fail(Instance& instance, const std::string& why);
  void choose_active();
  [[nodiscard]] bool is_lost(const std::string& node);
  [[nodiscard]] std::string choose_node(const Instance& other);
  [[nodiscard]] Instance& active() { return instances_.at(active_); }
  [[nodiscard]] bool gives_up() const { return failures_ >= max_failures && !was_up_; }

  const LighthouseCommand& command_;
  attempts::NodePool& pool_;
  asio::io_context io_{1};
  Relay relay_;
  asio::steady_timer timer_;
  std::array<Instance, 2> instances_;
  std::size_t active_ = 0;
  std::set<std::string> avoided_;  // nodes on which it has failed
  Clock::time_point next_start_ = Clock::time_point::min();
  unsigned failures_ = 0;  // since a lighthouse was up
  bool was_up_ = false;
};

bool Keeper::is_lost(const std::string& node) {
  const auto pool = pool_.all();
  const auto known = std::ranges::find(pool.nodes, node, &PoolNode::name);
  return known != pool.nodes.end() && known->lost_at.has_value();
}

// This host first: without it there is no run. Then a node that a group uses, whose loss is noticed early.
std::string Keeper::choose_node(const Instance& other) {
  const auto pool = pool_.all();
  const auto rank = [&](const PoolNode& node) {
    return std::tuple(node.lost_at.has_value(), other.is_begun() && node.name == other.node(),
                      avoided_.contains(node.name), node.name != command_.host,
                      !node.group.has_value());
  };
  const auto best = std::ranges::min_element(pool.nodes, {}, rank);
  if (best == pool.nodes.end()) return {};
  if (avoided_.contains(best->name)) avoided_.clear();
  return best->name;
}

void Keeper::look() {
  reap();
  for (auto& instance : instances_) {
    if (!instance.is_begun()) continue;
    instance.probe();
    const bool serves = &instance == &active();
    auto why = instance.failure(serves ? relay_.last_word() : Clock::time_point::min());
    if (why.empty() && is_lost(instance.node()))
      why = fmt::format("{} is lost", text::printable(instance.node()));
    if (!why.empty()) fail(instance, why);
  }
  choose_active();
  for (auto& instance : instances_) {
    if (instance.is_begun() || Clock::now() < next_start_) continue;
    const auto& other = &instance == instances_.data() ? instances_[1] : instances_[0];
    instance.begin(choose_node(other));
  }
  if (gives_up()) return io_.stop();
  timer_.expires_after(look_interval);
  timer_.async_wait([this](std::error_code cancelled) {
    if (!cancelled) look();
  });
}

void Keeper::reap() {
  for (pid_t child = waitpid(-1, nullptr, WNOHANG); child > 0;
       child = waitpid(-1, nullptr, WNOHANG)) {
    for (auto& instance : instances_) {
      if (instance.srun() == child) instance.srun_has_ended();
    }
  }
}

// A lighthouse counts its quorums from 1, and torchft takes two quorums with the same number for one: groups
// that have used another lighthouse must not meet at this one.
void Keeper::choose_active() {
  if (pool_.is_lighthouse_lost()) return;
  if (!active().is_up()) {
    const auto up = std::ranges::find_if(instances_, &Instance::is_up);
    if (up == instances_.end()) return;
    active_ = static_cast<std::size_t>(up - instances_.begin());
  }
  was_up_ = true;
  failures_ = 0;
  relay_.move_to(active().server());
}

void Keeper::fail(Instance& instance, const std::string& why) {
  ++failures_;
  avoided_.insert(instance.node());
  const bool matters = &instance == &active() && was_up_;
  if (matters) {
    relay_.move_to(std::nullopt);
    pool_.set_lighthouse_lost(true);
  }
  if (matters || gives_up()) {
    const auto words = instance.last_words();
    os::say(gives_up() ? os::Severity::error : os::Severity::warning,
            fmt::format("the lighthouse on {}: {}{}{}", text::printable(instance.node()), why,
                        words.empty() ? "" : ": " + words,
                        gives_up() ? "; export TORCHFT_LIGHTHOUSE to use one of your own"
                                   : "; all groups restart with another lighthouse"));
  }
  instance.end();
  const auto pause = failures_ < 3 ? seconds{0} : std::min(seconds{failures_}, longest_pause);
  next_start_ = Clock::now() + pause;
}

}  // namespace

void keep_lighthouse(const LighthouseCommand& command, attempts::NodePool& pool,
                     const Environment& environment, os::Descriptor listener) {
  std::signal(SIGCHLD, SIG_DFL);
  Keeper(command, pool, environment, std::move(listener)).run();
}

}  // namespace muster::groups
